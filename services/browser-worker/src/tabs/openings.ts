import { OPENING_MS } from "../limits.js";
import { Waits } from "../waits.js";
import { within } from "../within.js";

/** The windows that a page opens: those it said it opens (CDP `Page.windowOpen`), and those that came of it. */
export class Openings {
  readonly #waits = new Waits();
  #said = 0;
  #came = 0;
  #urls: string[] = [];

  said(url: string): void {
    this.#said += 1;
    this.#urls.push(url);
  }

  /** Where the next window that comes was said to go: Chromium tells of the window before it tells of its address. */
  nextUrl(): string {
    return this.#urls.shift() ?? "";
  }

  /** One became a tab, or was refused. */
  came(): void {
    this.#came += 1;
    this.#waits.tell();
  }

  /** Another page is in the tab: what the one before said is void. */
  reset(): void {
    this.#said = 0;
    this.#came = 0;
    this.#urls = [];
    this.#waits.tell();
  }

  /** Resolves when every window that the page said it opens has come. Where it said nothing, nothing is waited for. */
  async settled(signal: AbortSignal): Promise<void> {
    if (this.#said <= this.#came) return;
    // A window of a name that is there already opens no new one: so this wait is bounded, and its end is no fault.
    const bound = AbortSignal.any([signal, AbortSignal.timeout(OPENING_MS)]);
    await within(
      OPENING_MS,
      this.#waits.until(() => this.#said <= this.#came, bound),
    );
    this.#came = this.#said;
    this.#urls = [];
  }
}
