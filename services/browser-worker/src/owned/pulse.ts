import { PULSE_ANSWER_MS, PULSE_ASKS, PULSE_EVERY_MS } from "../limits.js";
import { within } from "../within.js";

export interface Pulse {
  /** Looks now. Resolves when the browser has answered, or was ended. */
  readonly look: () => Promise<void>;
  readonly stop: () => void;
}

/**
 * Looks whether a browser answers, and has it ended when it does not: what was cut in it would go on whenever it wakes up,
 * and until then every project in it stands. A page that answers nothing is no matter of this: the browser is asked.
 * @param ask resolves, or rejects, with the browser's answer
 */
export function feelPulse(ask: () => Promise<unknown>, end: () => void): Pulse {
  let looking: Promise<void> | null = null;
  let over = false;
  const asked = async (): Promise<void> => {
    // Asked again, because an answer may wait unread where this process itself was held up.
    for (let asks = 0; asks < PULSE_ASKS; asks += 1) {
      if ((await within(PULSE_ANSWER_MS, ask())) || over) return;
    }
    end();
  };
  const look = (): Promise<void> => {
    looking ??= asked().finally(() => {
      looking = null;
    });
    return looking;
  };
  const timer = setInterval(() => void look(), PULSE_EVERY_MS);
  return {
    look,
    stop: () => {
      over = true;
      clearInterval(timer);
    },
  };
}
