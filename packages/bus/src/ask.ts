import { asFailure, type Call, type Failure, isPending } from "@holdfast/protocol";
import type { Bus } from "./connect.js";
import { ASK_AGAIN_MAX_MS, ASK_AGAIN_MS, ASK_RETRY_MS, ASK_SOON_MS, BUS_PATIENCE_MS } from "./limits.js";
import { request } from "./request.js";

export interface AskOptions {
  /** ms until the wait ends; the work that was asked for goes on. */
  readonly timeoutMs: number;
  /** Ends this wait, and nothing else. */
  readonly signal?: AbortSignal;
  /**
   * When it may be asked again.
   * when_unheard: nobody has heard it. until_answered: it does no harm, so also while it is not answered: who was asked may
   * have died, or be stopped.
   */
  readonly repeat: "when_unheard" | "until_answered";
  /** ms until it is asked again for the first time. */
  readonly againMs?: number;
  /** What it means that nobody listens. */
  readonly nobody: "MCP_NO_WORKER" | "MCP_BUS_DOWN";
}

/**
 * Asks until there is an answer, through a bus that is away for a moment and services that die.
 * @throws HoldfastError `MCP_BUS_DOWN` when the bus, or whoever serves, stays away for `BUS_PATIENCE_MS`; `MCP_DEADLINE`; the
 * signal's reason
 */
export function ask(bus: Bus, subject: string, body: Call, options: AskOptions): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const asking = new Asking({ bus, subject, body, options }, resolve, reject);
    asking.begin();
  });
}

interface Question {
  readonly bus: Bus;
  readonly subject: string;
  readonly body: Call;
  readonly options: AskOptions;
}

class Asking {
  readonly #question: Question;
  readonly #endsAt: number;
  readonly #settle: { readonly resolve: (reply: unknown) => void; readonly reject: (thrown: unknown) => void };
  readonly #stopListening: () => void;
  #asked = 0;
  /** Monotonic ms since when nobody is reached; null while somebody is. */
  #downSince: number | null = null;
  #pauseMs: number;
  #timer: NodeJS.Timeout | undefined;
  #over = false;
  /** The first ask that somebody may have heard: then it is not known any more that nobody has. */
  #maybeHeard: unknown;

  constructor(question: Question, resolve: (reply: unknown) => void, reject: (thrown: unknown) => void) {
    this.#question = question;
    this.#settle = { resolve, reject };
    this.#pauseMs = question.options.againMs ?? ASK_AGAIN_MS;
    this.#endsAt = performance.now() + question.options.timeoutMs;
    // An answer that came while the link was lost went nowhere.
    this.#stopListening = question.bus.onReconnect(() => {
      if (this.#repeats || this.#asked === 0) this.#ask();
    });
  }

  begin(): void {
    this.#ask();
  }

  get #repeats(): boolean {
    return this.#question.options.repeat === "until_answered";
  }

  #ask(): void {
    const { bus, subject, body, options } = this.#question;
    const timeoutMs = this.#endsAt - performance.now();
    if (this.#over || timeoutMs <= 0) return;
    clearTimeout(this.#timer);
    const again = this.#asked > 0 && this.#repeats;
    const expiresAt = Math.floor(Date.now() + (this.#repeats ? Math.min(this.#pauseMs, timeoutMs) : timeoutMs));
    if (bus.connected()) this.#asked += 1;
    const asked = request(
      bus,
      subject,
      { ...body, expiresAt, ...(again ? { again } : {}) },
      {
        timeoutMs,
        nobody: options.nobody,
        ...(options.signal ? { signal: options.signal } : {}),
      },
    );
    asked.then(
      (reply) => this.#heard(reply),
      (thrown: unknown) => this.#failed(thrown),
    );
    if (this.#repeats) this.#askAgainIn(this.#pauseMs);
  }

  #heard(reply: unknown): void {
    if (this.#over) return;
    this.#downSince = null;
    if (!isPending(reply)) {
      this.#end(() => this.#settle.resolve(reply));
      return;
    }
    // It is on its way: whoever was asked first may still answer, and if not it is asked about again, ever less often.
    this.#askAgainIn(this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, ASK_AGAIN_MAX_MS);
  }

  #failed(thrown: unknown): void {
    if (this.#over) return;
    const told = asFailure(thrown);
    // The answer may have been given while nobody could hear it.
    this.#pauseMs = ASK_SOON_MS;
    this.#downSince ??= performance.now();
    if (told.details.delivered !== "no") this.#maybeHeard ??= thrown;
    const patient = performance.now() - this.#downSince <= BUS_PATIENCE_MS;
    if (this.#mayRepeat(told) && patient) this.#askAgainIn(ASK_RETRY_MS);
    else this.#end(() => this.#settle.reject(told.details.delivered === "no" ? (this.#maybeHeard ?? thrown) : thrown));
  }

  #mayRepeat({ code, details }: Failure): boolean {
    return details.delivered === "no" || (this.#repeats && code === "MCP_BUS_DOWN");
  }

  #askAgainIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), ms);
  }

  #end(act: () => void): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#stopListening();
    act();
  }
}
