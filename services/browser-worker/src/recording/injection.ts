import { randomBytes } from "node:crypto";
import type { BrowserContext, Frame, Page } from "playwright";
import { INJECT_MS } from "../limits.js";
import { within } from "../within.js";
import { captureScript, endScript } from "./page/script.js";
import type { CaptureConfig } from "./page/state.js";

/** Told by the capture script, in whichever document. */
export type Hear = (frame: Frame, text: unknown) => void;

/** A context of the project's own; or one page, where the context is a person's. */
export type Place = BrowserContext | Page;

interface Undo {
  readonly dispose: () => Promise<void>;
}

/** Brings the capture script into every document of a context: those to come by the browser, those there by hand. */
export class Injection {
  readonly #config: CaptureConfig;
  readonly #hear: Hear;
  readonly #undo = new Map<Place, Undo[]>();

  constructor(hear: Hear) {
    // No page can know the names of before, and none can be taken for another recording's.
    const nonce = randomBytes(8).toString("hex");
    this.#config = { binding: `__${nonce}`, marker: `${nonce}` };
    this.#hear = hear;
  }

  /** A page that answers nothing holds up only itself: whether it took the script is seen when it is looked at. */
  async install(place: Place): Promise<void> {
    if (this.#undo.has(place)) return;
    const binding = place.exposeBinding(this.#config.binding, ({ frame }, text: unknown) => this.#hear(frame, text));
    // Scripts run in the order in which they were added, and this one needs the binding.
    const script = within(INJECT_MS, binding).then(() =>
      place.addInitScript({ content: captureScript(this.#config, "new") }),
    );
    const undoOf = (made: Promise<Undo>): Undo => ({ dispose: async () => (await made).dispose() });
    this.#undo.set(place, [undoOf(script), undoOf(binding)]);
    const installed = Promise.all([binding, script]);
    let failed: unknown;
    installed.catch((thrown: unknown) => {
      failed = thrown;
    });
    await within(2 * INJECT_MS, installed);
    if (failed !== undefined) throw failed;
  }

  covers(page: Page): boolean {
    return this.#undo.has(page) || this.#undo.has(page.context());
  }

  /** Gives the script to a document that is there. `there`: it had it. `failed`: it did not take it in time. */
  async into(frame: Frame): Promise<"begun" | "there" | "failed"> {
    let answer: unknown;
    const injecting = frame.evaluate(captureScript(this.#config, "open")).then((told) => {
      answer = told;
    });
    await within(INJECT_MS, injecting);
    return answer === "begun" || answer === "there" ? answer : "failed";
  }

  /** Takes it out of every document. */
  async remove(): Promise<void> {
    const places = [...this.#undo];
    this.#undo.clear();
    const frames = places
      .flatMap(([place]) => ("pages" in place ? place.pages() : [place]))
      .flatMap((page) => page.frames());
    const ended = frames.map((frame) => frame.evaluate(endScript(this.#config)));
    await within(INJECT_MS, Promise.allSettled(ended));
    const undone = places.flatMap(([, undo]) => undo.map((one) => one.dispose()));
    await within(INJECT_MS, Promise.allSettled(undone));
  }
}
