import type { Browser, CDPSession } from "playwright";

/** A page as Chromium tells of it: before it answers, and before there is a page object of it. */
export interface PageTarget {
  readonly targetId: string;
  /** The target whose page opened it; also when the page may not know its opener. */
  readonly openerId: string | null;
  readonly url: string;
}

/** Told of the pages of one browser context. */
export interface TargetListener {
  readonly created: (target: PageTarget) => void;
  readonly changed: (target: PageTarget) => void;
  readonly gone: (targetId: string) => void;
}

interface TargetInfo {
  readonly targetId: string;
  readonly type: string;
  readonly url: string;
  readonly openerId?: string;
  readonly browserContextId?: string;
}

/**
 * Follows all pages of a browser by its own session (CDP `Target.setDiscoverTargets`): nothing is polled,
 * and a page that hangs is told of like any other.
 */
export class Targets {
  readonly #listeners = new Map<string, TargetListener>();
  readonly #contextOf = new Map<string, string>();
  #session: CDPSession | null = null;

  async follow(browser: Browser): Promise<void> {
    const session = await browser.newBrowserCDPSession();
    this.#session = session;
    session.on("Target.targetCreated", ({ targetInfo }) => this.#seen(targetInfo, "created"));
    session.on("Target.targetInfoChanged", ({ targetInfo }) => this.#seen(targetInfo, "changed"));
    session.on("Target.targetDestroyed", ({ targetId }) => this.#gone(targetId));
    await session.send("Target.setDiscoverTargets", { discover: true });
  }

  listen(contextId: string, listener: TargetListener): void {
    this.#listeners.set(contextId, listener);
  }

  forget(contextId: string): void {
    this.#listeners.delete(contextId);
  }

  /** Closes a page that nobody has a page object of. */
  async close(targetId: string): Promise<void> {
    await this.#session?.send("Target.closeTarget", { targetId });
  }

  #seen(info: TargetInfo, event: "created" | "changed"): void {
    if (info.type !== "page" || info.browserContextId === undefined) return;
    this.#contextOf.set(info.targetId, info.browserContextId);
    const { targetId, url, openerId = null } = info;
    this.#listeners.get(info.browserContextId)?.[event]({ targetId, openerId, url });
  }

  #gone(targetId: string): void {
    const contextId = this.#contextOf.get(targetId);
    this.#contextOf.delete(targetId);
    if (contextId !== undefined) this.#listeners.get(contextId)?.gone(targetId);
  }
}
