import type { BrowserContext, Page } from "playwright";
import type { Live } from "./tab.js";
import type { TargetListener, Targets } from "./targets.js";

export type StorageState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** Told of the pages of one profile. */
export interface ProfileListener extends TargetListener {
  readonly page: (page: Page, live: Live) => void;
}

export interface ProfileParts {
  readonly newContext: (storageState: StorageState | undefined) => Promise<BrowserContext>;
  readonly targets: Targets;
  readonly listener: (profileId: string) => ProfileListener;
  /** Something about a page could not be seen to: it is told, and the page goes on. */
  readonly onFault: (thrown: unknown) => void;
}

/** A project's profiles: each one browser context, made when it is first needed. */
export class Profiles {
  /** The profiles' saved storage, until their context is made of it. */
  readonly saved = new Map<string, StorageState>();
  readonly #parts: ProfileParts;
  readonly #contexts = new Map<string, Promise<BrowserContext>>();
  readonly #contextIds = new Map<string, string>();
  /** Pages that we open ourselves; every other one was opened by a page or a person. */
  #opening = 0;

  constructor(parts: ProfileParts) {
    this.#parts = parts;
  }

  get inUse(): string[] {
    return [...this.#contexts.keys()];
  }

  get opening(): boolean {
    return this.#opening > 0;
  }

  context(profileId: string): Promise<BrowserContext> {
    const made = this.#contexts.get(profileId) ?? this.#make(profileId);
    this.#contexts.set(profileId, made);
    made.catch(() => this.#contexts.delete(profileId));
    return made;
  }

  async newPage(profileId: string): Promise<Live> {
    const context = await this.context(profileId);
    this.#opening += 1;
    try {
      const live = await liveOf(await context.newPage());
      this.#listenTo(profileId, live.contextId);
      return live;
    } finally {
      this.#opening -= 1;
    }
  }

  /** The browser went, and the contexts with it. */
  forget(): void {
    for (const contextId of this.#contextIds.values()) this.#parts.targets.forget(contextId);
    this.#contexts.clear();
    this.#contextIds.clear();
  }

  async close(): Promise<void> {
    const contexts = await Promise.allSettled(this.#contexts.values());
    this.forget();
    await Promise.allSettled(contexts.map((made) => (made.status === "fulfilled" ? made.value.close() : undefined)));
  }

  async #make(profileId: string): Promise<BrowserContext> {
    const context = await this.#parts.newContext(this.saved.get(profileId));
    const listener = this.#parts.listener(profileId);
    context.on("page", (page) => {
      if (this.opening) return;
      liveOf(page).then((live) => listener.page(page, live), this.#parts.onFault);
    });
    return context;
  }

  /** Chromium names a context by an id that only its pages tell; before its first page there is nothing to hear of. */
  #listenTo(profileId: string, contextId: string): void {
    if (this.#contextIds.get(profileId) === contextId) return;
    this.#contextIds.set(profileId, contextId);
    this.#parts.targets.listen(contextId, this.#parts.listener(profileId));
  }
}

async function liveOf(page: Page): Promise<Live> {
  const cdp = await page.context().newCDPSession(page);
  const [{ targetInfo }] = await Promise.all([cdp.send("Target.getTargetInfo"), cdp.send("Page.enable")]);
  return { page, cdp, targetId: targetInfo.targetId, contextId: targetInfo.browserContextId ?? "" };
}
