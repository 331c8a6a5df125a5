import { TITLE_AFTER_MS } from "../limits.js";
import type { Live, Tab } from "./tab.js";

/** Keeps the title of a tab's page: pages change it by script, and nobody is told. */
export class Title {
  readonly #tab: Tab;
  #reading: Promise<string | null> | null = null;
  #due: NodeJS.Timeout | undefined;

  constructor(tab: Tab) {
    this.#tab = tab;
  }

  /** Reads it again, for a later answer. Calls that follow close upon each other share one read. */
  refresh(): void {
    this.#due ??= setTimeout(() => {
      this.#due = undefined;
      void this.read();
    }, TITLE_AFTER_MS).unref();
  }

  /**
   * Reads it now, of the browser: the page itself is busy when it has just loaded, and may be in a loop.
   * Who comes while it is read waits for the same; resolves also where there is none any more.
   */
  async read(): Promise<void> {
    const tab = this.#tab;
    const { live } = tab;
    if (!live) return;
    this.#reading ??= titleOf(live).finally(() => {
      this.#reading = null;
    });
    const title = await this.#reading;
    if (title !== null && tab.live === live && title !== tab.record.title) tab.change({ title });
  }
}

/** Null for a page that goes meanwhile. */
async function titleOf({ cdp }: Live): Promise<string | null> {
  const told = await cdp.send("Page.getNavigationHistory").catch(() => null);
  return told?.entries[told.currentIndex]?.title ?? null;
}
