import type { BrowserContext, Page } from "playwright";
import type { Live } from "./tab.js";
import type { TargetListener, Targets } from "./targets.js";

export type StorageState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** Told of the pages of one profile. */
export interface ProfileListener extends TargetListener {
  readonly page: (page: Page, live: Live) => void;
}

export interface ContextMade {
  readonly context: BrowserContext;
  /** All its traffic passes where the project's URL rules are held. */
  readonly proxied: boolean;
}

export interface ProfileParts {
  readonly newContext: (storageState: StorageState | undefined) => Promise<ContextMade>;
  /** A context is there, and no page in it yet. */
  readonly contextMade?: (context: BrowserContext) => Promise<void> | undefined;
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
  readonly #stops = new Map<string, () => void>();
  readonly #proxied = new Set<string>();
  /** Pages that we open ourselves; every other one was opened by a page or a person. */
  readonly #opening = new Set<Promise<Page>>();
  readonly #own = new WeakSet<Page>();
  /** Reads of storage under way: Playwright opens a page for those origins that no page shows, and tells nobody of it. */
  #reading = 0;

  constructor(parts: ProfileParts) {
    this.#parts = parts;
  }

  get inUse(): string[] {
    return [...this.#contexts.keys()];
  }

  get opening(): boolean {
    return this.#opening.size > 0 || this.#reading > 0;
  }

  context(profileId: string): Promise<BrowserContext> {
    const made = this.#contexts.get(profileId) ?? this.#make(profileId);
    this.#contexts.set(profileId, made);
    made.catch(() => this.#contexts.delete(profileId));
    return made;
  }

  async newPage(profileId: string): Promise<Live> {
    const context = await this.context(profileId);
    const opening = context.newPage();
    this.#opening.add(opening);
    try {
      const page = await opening;
      this.#own.add(page);
      const live = await this.#liveOf(page);
      this.#listenTo(profileId, live.contextId);
      return live;
    } finally {
      this.#opening.delete(opening);
    }
  }

  /** What the browser keeps for the profile now. */
  async storage(profileId: string): Promise<StorageState> {
    const context = await this.context(profileId);
    this.#reading += 1;
    try {
      return await context.storageState({ indexedDB: true });
    } finally {
      this.#reading -= 1;
    }
  }

  /** A profile's cookies, if its context is there. */
  async cookies(profileId: string): Promise<StorageState["cookies"]> {
    return (await (await this.#contexts.get(profileId))?.cookies()) ?? [];
  }

  /** Looks at something in a page of its own, which is no tab, and closes it. */
  async aside(profileId: string, look: (page: Page) => Promise<void>): Promise<void> {
    const context = await this.context(profileId);
    const opening = context.newPage();
    this.#opening.add(opening);
    try {
      const page = await opening;
      this.#own.add(page);
      try {
        await look(page);
      } finally {
        await page.close();
      }
    } finally {
      this.#opening.delete(opening);
    }
  }

  /** Whether a browser context is one of these profiles'. */
  has(contextId: string | undefined): boolean {
    return [...this.#contextIds.values()].some((known) => known === contextId);
  }

  /** The profiles whose contexts were made when the project had no rules: not all of their traffic is looked at. */
  get unproxied(): string[] {
    return this.inUse.filter((profileId) => !this.#proxied.has(profileId));
  }

  /** Lets a profile's context go: the next that is asked for is made of the saved storage. */
  async renew(profileId: string): Promise<void> {
    const context = await this.#contexts.get(profileId);
    this.#contexts.delete(profileId);
    this.#contextIds.delete(profileId);
    this.#stops.get(profileId)?.();
    this.#stops.delete(profileId);
    await context?.close();
  }

  /** The browser went, and the contexts with it. */
  forget(): void {
    for (const stop of this.#stops.values()) stop();
    this.#contexts.clear();
    this.#contextIds.clear();
    this.#proxied.clear();
    this.#stops.clear();
  }

  async close(): Promise<void> {
    const contexts = await Promise.allSettled(this.#contexts.values());
    this.forget();
    const made = contexts.flatMap((context) => (context.status === "fulfilled" ? [context.value] : []));
    await Promise.allSettled(made.map((context) => context.close()));
  }

  async #make(profileId: string): Promise<BrowserContext> {
    const { context, proxied } = await this.#parts.newContext(this.saved.get(profileId));
    if (proxied) this.#proxied.add(profileId);
    await this.#parts.contextMade?.(context);
    const listener = this.#parts.listener(profileId);
    context.on("page", (page) => {
      this.#foreign(page).then(
        (live) => live && listener.page(page, live),
        // A page that went before anybody could look at it is no fault.
        (thrown: unknown) => (page.isClosed() ? undefined : this.#parts.onFault(thrown)),
      );
    });
    return context;
  }

  /** Chromium names a context by an id that only its pages tell; before its first page there is nothing to hear of. */
  #listenTo(profileId: string, contextId: string): void {
    if (this.#contextIds.get(profileId) === contextId) return;
    this.#contextIds.set(profileId, contextId);
    this.#stops.set(profileId, this.#parts.targets.listen(contextId, this.#parts.listener(profileId)));
  }

  /** A page that a page or a person opened; null for one of ours, which is only known for that once it is there. */
  async #foreign(page: Page): Promise<Live | null> {
    await Promise.allSettled(this.#opening);
    return this.#own.has(page) ? null : this.#liveOf(page);
  }

  async #liveOf(page: Page): Promise<Live> {
    const cdp = await page.context().newCDPSession(page);
    const [{ targetInfo }] = await Promise.all([cdp.send("Target.getTargetInfo"), cdp.send("Page.enable")]);
    this.#parts.targets.followFrames(targetInfo.targetId, cdp);
    return { page, cdp, targetId: targetInfo.targetId, contextId: targetInfo.browserContextId ?? "" };
  }
}
