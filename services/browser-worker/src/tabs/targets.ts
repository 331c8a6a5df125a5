import type { Browser, CDPSession } from "playwright";
import type { Asker } from "../rules/guard.js";

/** A page as Chromium tells of it: before it answers, and before there is a page object of it. */
export interface PageTarget {
  readonly targetId: string;
  /** The target whose page opened it; also when the page may not know its opener. */
  readonly openerId: string | null;
  readonly url: string;
}

/** A page that is there, with the browser context that it is in. */
export interface PageSeen extends PageTarget {
  readonly contextId: string;
  readonly title: string;
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
  readonly title: string;
  readonly openerId?: string;
  readonly browserContextId?: string;
  /** Of a frame with a process of its own: the frame that it is in. */
  readonly parentFrameId?: string;
}

/**
 * Follows all pages of a browser by its own session (CDP `Target.setDiscoverTargets`): nothing is polled,
 * and a page that hangs is told of like any other.
 */
export class Targets {
  readonly #listeners = new Map<string, Set<TargetListener>>();
  /** Pages, frames with a process of their own, and workers. */
  readonly #known = new Map<string, TargetInfo>();
  /** The page of each frame that shares its page's process: those are no targets of their own. */
  readonly #pageOf = new Map<string, string>();
  #session: CDPSession | null = null;
  #heard = 0;
  #link = 0;
  #making: Promise<unknown> = Promise.resolve();

  async follow(browser: Browser): Promise<void> {
    const session = await browser.newBrowserCDPSession();
    this.#session = session;
    this.#link += 1;
    this.#known.clear();
    this.#pageOf.clear();
    session.on("Target.targetCreated", ({ targetInfo }) => this.#seen(targetInfo, "created"));
    session.on("Target.targetInfoChanged", ({ targetInfo }) => this.#seen(targetInfo, "changed"));
    session.on("Target.targetDestroyed", ({ targetId }) => this.#gone(targetId));
    await session.send("Target.setDiscoverTargets", { discover: true });
  }

  /** Which debug link it is: each is another one. */
  get link(): number {
    return this.#link;
  }

  /** How many pages were told of so far, coming or going. */
  get heard(): number {
    return this.#heard;
  }

  listen(contextId: string, listener: TargetListener): () => void {
    const listeners = this.#listeners.get(contextId) ?? new Set();
    this.#listeners.set(contextId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(contextId);
    };
  }

  /** Follows the frames of a page, by the page's own session. */
  followFrames(targetId: string, session: CDPSession): void {
    session.on("Page.frameAttached", ({ frameId }) => void this.#pageOf.set(frameId, targetId));
    session.on("Page.frameDetached", ({ frameId }) => void this.#pageOf.delete(frameId));
  }

  /** Who a request comes from, by the frame or the worker that makes it. */
  asker(frameId: string): Asker {
    const targetId = this.#pageOf.get(frameId) ?? frameId;
    const info = this.#known.get(targetId);
    if (info?.type === "iframe" && info.parentFrameId !== undefined) return this.asker(info.parentFrameId);
    return { targetId, contextId: info?.browserContextId, openerId: info?.openerId ?? null };
  }

  /** Whether it is the main frame of a page. */
  isPage(frameId: string): boolean {
    return this.#known.get(frameId)?.type === "page";
  }

  /** A window that a page opened, and that has shown nothing yet. */
  isUnshown(targetId: string): boolean {
    const info = this.#known.get(targetId);
    return info?.openerId !== undefined && (info.url === "" || info.url === "about:blank");
  }

  /** Every page there is, as the browser lists them now. */
  async list(): Promise<readonly PageSeen[]> {
    const told = await this.#session?.send("Target.getTargets");
    return (told?.targetInfos ?? []).flatMap(pageSeen);
  }

  /** The pages of the browser's first context: where it is a person's, the person's. */
  async listPersons(): Promise<readonly PageSeen[]> {
    const made = (await this.#session?.send("Target.getBrowserContexts"))?.browserContextIds ?? [];
    return (await this.list()).filter(({ contextId }) => !made.includes(contextId));
  }

  /** Makes a context, and tells its id, which Playwright keeps to itself: one at a time, so that it can be told by its being new. */
  contextWithId<T>(make: () => Promise<T>): Promise<{ readonly made: T; readonly contextId: string | undefined }> {
    const ids = async (): Promise<string[]> =>
      (await this.#session?.send("Target.getBrowserContexts"))?.browserContextIds ?? [];
    const next = this.#making.then(async () => {
      const before = await ids();
      const made = await make();
      return { made, contextId: (await ids()).find((id) => !before.includes(id)) };
    });
    this.#making = next.catch(() => undefined);
    return next;
  }

  /** Opens a page without bringing it to the front. */
  async open(contextId: string | undefined): Promise<string> {
    if (!this.#session) throw new Error("The browser is not followed.");
    const where = contextId === undefined ? {} : { browserContextId: contextId };
    const quiet = { background: true, focus: false };
    const { targetId } = await this.#session.send("Target.createTarget", { url: "about:blank", ...where, ...quiet });
    return targetId;
  }

  /**
   * Closes a page that nobody has a page object of. A new window stands still until its debugger lets it go on, and the
   * page that opened it stands with it: closed while it stands, it would leave its opener standing for good (seen
   * with Chromium 156, one in thirty).
   */
  async close(targetId: string): Promise<void> {
    const session = this.#session;
    if (!session) return;
    // Not flat: Playwright takes no answers of sessions that it did not open itself.
    const { sessionId } = await session.send("Target.attachToTarget", { targetId, flatten: false });
    const message = JSON.stringify({ id: 1, method: "Runtime.runIfWaitingForDebugger" });
    await session.send("Target.sendMessageToTarget", { sessionId, message });
    await session.send("Target.closeTarget", { targetId });
  }

  #seen(info: TargetInfo, event: "created" | "changed"): void {
    this.#known.set(info.targetId, info);
    const [page] = pageSeen(info);
    if (!page) return;
    if (event === "created") this.#heard += 1;
    for (const listener of this.#listeners.get(page.contextId) ?? []) listener[event](page);
  }

  #gone(targetId: string): void {
    const info = this.#known.get(targetId);
    this.#known.delete(targetId);
    if (info?.type !== "page") return;
    this.#heard += 1;
    for (const listener of this.#listeners.get(info.browserContextId ?? "") ?? []) listener.gone(targetId);
  }
}

function pageSeen({ targetId, type, url, title, openerId, browserContextId: contextId }: TargetInfo): PageSeen[] {
  return type === "page" && contextId !== undefined
    ? [{ targetId, openerId: openerId ?? null, url, title, contextId }]
    : [];
}
