import type { Frame, Page } from "playwright";
import { EARLY_MAX } from "../limits.js";
import type { PageTold } from "./told.js";

export interface EarlyTold {
  readonly frame: Frame;
  readonly told: PageTold;
}

/** What pages told before it was known whose tab they are: a window can be used, and gone, within milliseconds. */
export class Early {
  #told: EarlyTold[] = [];

  add(frame: Frame, told: PageTold): void {
    if (this.#told.length < EARLY_MAX) this.#told.push({ frame, told });
  }

  /** Takes out what a page told. */
  of(page: Page | undefined): EarlyTold[] {
    const own = this.#told.filter(({ frame }) => frame.page() === page);
    this.#told = this.#told.filter(({ frame }) => frame.page() !== page);
    return own;
  }

  /** The page of a tab that closed before its page was known to be its own: by its address, or because there is one only. */
  pageAt(url: string): Page | undefined {
    const pages = [...new Set(this.#told.map(({ frame }) => frame.page()))];
    return pages.find((page) => page.url() === url) ?? (pages.length === 1 ? pages[0] : undefined);
  }

  /** Steps that nobody took out. */
  get steps(): number {
    return this.#told.filter(({ told }) => told.kind !== "here").length;
  }
}
