import type { BrowserContext, Page } from "playwright";
import { listedPage } from "../attached/quiet.js";
import type { Live } from "./tab.js";
import type { TargetListener, Targets } from "./targets.js";

export type StorageState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** Told of the pages of one profile. */
export interface ProfileListener extends TargetListener {
  /** Whether a page that came into a person's context may be the project's. */
  readonly expects: (opener: Page | null) => boolean;
  readonly page: (page: Page, live: Live) => void;
}

export interface ContextMade {
  readonly context: BrowserContext;
  /** All its traffic passes where the project's URL rules are held. */
  readonly proxied: boolean;
  /** Chromium's id of it, where that had to be asked for. */
  readonly contextId?: string | undefined;
  /** It is a person's, with the person's tabs and logins: only tabs of the project are ours. */
  readonly persons?: boolean;
}

export interface ProfileParts {
  readonly newContext: (profileId: string, storageState: StorageState | undefined) => Promise<ContextMade>;
  readonly openPage: (made: ContextMade) => Promise<Page>;
  /** The browser is a person's. */
  readonly attached: boolean;
  /** A page in a person's context is a tab of the project. */
  readonly pageTaken: (page: Page) => Promise<void>;
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
  readonly #made = new Map<string, ContextMade>();
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
    const opening = this.#open(profileId);
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
    // What a person's browser keeps is the person's.
    if (this.isPersons(profileId)) return { cookies: [], origins: [] };
    this.#reading += 1;
    try {
      return await context.storageState({ indexedDB: true });
    } finally {
      this.#reading -= 1;
    }
  }

  /** A profile's cookies, if its context is there. */
  async cookies(profileId: string): Promise<StorageState["cookies"]> {
    if (this.isPersons(profileId)) return [];
    return (await (await this.#contexts.get(profileId))?.cookies()) ?? [];
  }

  /** Looks at something in a page of its own, which is no tab, and closes it. */
  async aside(profileId: string, look: (page: Page) => Promise<void>): Promise<void> {
    const opening = this.#open(profileId);
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

  /** Whether a browser context is one of these profiles', and nobody else's. */
  has(contextId: string | undefined): boolean {
    return [...this.#contextIds].some(([profileId, known]) => known === contextId && !this.isPersons(profileId));
  }

  isPersons(profileId: string): boolean {
    return this.#made.get(profileId)?.persons === true;
  }

  /** A page that is there already, in a person's browser. */
  async again(profileId: string, at: { readonly pageId: string; readonly url: string }): Promise<Live | null> {
    const context = await this.context(profileId);
    const isListed = (): boolean => this.#parts.targets.isPage(at.pageId);
    const page = this.isPersons(profileId) ? await listedPage(context, at, isListed) : null;
    if (!page) return null;
    const live = await this.#liveOf(page);
    this.#listenTo(profileId, live.contextId);
    return live;
  }

  /** The profiles whose contexts were made when the project had no rules: not all of their traffic is looked at. */
  get unproxied(): string[] {
    return this.inUse.filter((profileId) => !this.#proxied.has(profileId) && !this.isPersons(profileId));
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
    this.#made.clear();
    this.#contextIds.clear();
    this.#proxied.clear();
    this.#stops.clear();
  }

  async close(): Promise<void> {
    const ours = [...this.#contexts].filter(([profileId]) => !this.isPersons(profileId));
    const contexts = await Promise.allSettled(ours.map(([, context]) => context));
    this.forget();
    const made = contexts.flatMap((context) => (context.status === "fulfilled" ? [context.value] : []));
    await Promise.allSettled(made.map((context) => context.close()));
  }

  async #make(profileId: string): Promise<BrowserContext> {
    const made = await this.#parts.newContext(profileId, this.saved.get(profileId));
    const { context, proxied, persons } = made;
    this.#made.set(profileId, made);
    if (proxied) this.#proxied.add(profileId);
    if (!persons) await this.#parts.contextMade?.(context);
    const listener = this.#parts.listener(profileId);
    const came = (page: Page): void => {
      this.#foreign(profileId, page, listener).then(
        (live) => live && listener.page(page, live),
        // A page that went before anybody could look at it is no fault.
        (thrown: unknown) => (page.isClosed() ? undefined : this.#parts.onFault(thrown)),
      );
    };
    context.on("page", came);
    this.#stops.set(`${profileId} pages`, () => void context.off("page", came));
    return context;
  }

  /** Chromium names a context by an id that only its pages tell; before its first page there is nothing to hear of. */
  #listenTo(profileId: string, contextId: string): void {
    if (this.#contextIds.get(profileId) === contextId) return;
    this.#contextIds.set(profileId, contextId);
    this.#stops.set(profileId, this.#parts.targets.listen(contextId, this.#parts.listener(profileId)));
  }

  /** A page that a page or a person opened; null for one of ours, which is only known for that once it is there. */
  async #foreign(profileId: string, page: Page, listener: ProfileListener): Promise<Live | null> {
    await Promise.allSettled(this.#opening);
    if (this.#own.has(page)) return null;
    if (this.isPersons(profileId) && !listener.expects(await page.opener())) return null;
    return this.#liveOf(page);
  }

  async #open(profileId: string): Promise<Page> {
    const context = await this.context(profileId);
    return this.#parts.openPage(this.#made.get(profileId) ?? { context, proxied: false });
  }

  async #liveOf(page: Page): Promise<Live> {
    const cdp = await page.context().newCDPSession(page);
    const [{ targetInfo }] = await Promise.all([
      cdp.send("Target.getTargetInfo"),
      cdp.send("Page.enable"),
      // What a person's browser keeps is the person's.
      ...(this.#parts.attached ? [] : [cdp.send("DOMStorage.enable")]),
    ]);
    this.#parts.targets.followFrames(targetInfo.targetId, cdp);
    const shared = [...this.#made.values()].some((made) => made.persons === true && made.context === page.context());
    if (shared) {
      // Behind the person's own tabs a page would draw, and could be clicked, once a second.
      await cdp.send("Emulation.setFocusEmulationEnabled", { enabled: true });
      await this.#parts.pageTaken(page);
    }
    return {
      page,
      cdp,
      targetId: targetInfo.targetId,
      contextId: targetInfo.browserContextId ?? "",
      persons: this.#parts.attached,
    };
  }
}
