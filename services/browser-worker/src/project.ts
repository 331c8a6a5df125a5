import { type Claim, HoldfastError, type TabRecord } from "@holdfast/protocol";
import type { Page } from "playwright";
import type { Person } from "./attached/adopt.js";
import { rebindTab } from "./attached/rebind.js";
import { cursorAfterClose, type TabOfProfile } from "./core/cursor.js";
import { CLOSE_MS, CLOSED_TABS_MAX, TABS_MAX } from "./limits.js";
import { Recent } from "./recent.js";
import type { Recorder } from "./recording/recorder.js";
import type { Guard } from "./rules/guard.js";
import { loadAgain } from "./sleep/waking.js";
import type { Draft, SavedPage } from "./state/saved-page.js";
import { Arrivals } from "./tabs/arrivals.js";
import { Documents } from "./tabs/documents.js";
import { type ContextMade, Profiles, type StorageState } from "./tabs/profiles.js";
import { Tab } from "./tabs/tab.js";
import type { Targets } from "./tabs/targets.js";
import { Uses } from "./uses.js";
import { within } from "./within.js";
import { cut } from "./work/perform.js";
import type { Running } from "./work/running.js";

/** What a project needs of its surroundings. Nothing of it leads to another project. */
export interface Surroundings {
  readonly newContext: (guard: Guard, profileId: string, storage: StorageState | undefined) => Promise<ContextMade>;
  readonly openPage: (made: ContextMade) => Promise<Page>;
  /** The person whose browser it is; null in one of our own. */
  readonly person: Person | null;
  /** Holds the project's URL rules. */
  readonly guard: (project: Project) => Guard;
  readonly letGo: (guard: Guard) => void;
  readonly targets: Targets;
  readonly closeTarget: (targetId: string) => Promise<void>;
  readonly endSilentBrowser: () => Promise<void>;
  readonly onFault: (thrown: unknown) => void;
  readonly mintTab: () => Promise<string>;
  /** The table of tabs changed; `now`: whoever waits must find it stored. */
  readonly save: (project: Project, now: boolean) => Promise<void>;
  readonly stored: (project: Project) => void;
  readonly tabOpened: (project: Project, tab: Tab, cause: string | null) => void;
  readonly tabReady: (project: Project, tab: Tab) => void;
  readonly tabClosed: (project: Project, tab: Tab) => void;
  readonly cursorMoved: (project: Project) => void;
}

export type Cursor = TabOfProfile;

/** A project's profiles and tabs: all that its operations can reach. */
export class Project {
  readonly workspaceId: string;
  readonly epoch: number;
  readonly tabs = new Map<string, Tab>();
  readonly stopped = new Recent();
  readonly cancelled = new Recent();
  /** Operations that this worker began, since it has the project. */
  readonly begun = new Recent();
  /** ms since the epoch: what was admitted before may have been overtaken by a loss, so it is asked for before it is begun. */
  askBefore = Date.now();
  /** Aborts when the project is let go, or was lost: whatever still waits here waits for nothing. */
  readonly leaving = new AbortController();
  readonly generation: number;
  readonly profiles: Profiles;
  readonly guard: Guard;
  readonly documents = new Documents();
  readonly person: Person | null;
  readonly arrivals: Arrivals;
  /** The pages' saved drafts and positions, until their tab wakes. */
  readonly savedPages = new Map<string, SavedPage>();
  cursor: Cursor | null;
  /** What goes on in it, reads too. */
  readonly uses = new Uses();
  /** The mutation under way. */
  running: Running | null = null;
  /** The one before it: what it did in a page may be told by the page only now. */
  ranBefore: Running | null = null;
  /** Records what is done in the tabs, if somebody asked for it. */
  recorder: Recorder | null = null;
  /** The operation before it: a tab that it opened may be where the next one belongs. */
  lastOperationId: string | null = null;
  /** New settings are being brought to the pages: the next operation waits for that. */
  settled: Promise<unknown> = Promise.resolve();
  /** Ends with it, whatever came of it. */
  underWay: Promise<unknown> = Promise.resolve();
  readonly #surroundings: Surroundings;

  constructor(claim: Claim, epoch: number, surroundings: Surroundings) {
    this.workspaceId = claim.workspaceId;
    this.epoch = epoch;
    this.cursor = claim.cursor;
    this.generation = claim.generation;
    this.#surroundings = surroundings;
    this.arrivals = new Arrivals(this, surroundings);
    this.guard = surroundings.guard(this);
    const { newContext, openPage, targets, onFault, person } = surroundings;
    this.person = person;
    this.profiles = new Profiles({
      newContext: (profileId, storage) => newContext(this.guard, profileId, storage),
      openPage,
      attached: person !== null,
      pageTaken: (page) => this.documents.add(page),
      targets,
      onFault,
      contextMade: async (context) => {
        await this.documents.add(context);
        await this.recorder?.contextMade(context);
      },
      listener: (profileId) => this.arrivals.listener(profileId),
    });
  }

  /** Tabs that are not closed, in the order in which they came. */
  get open(): Tab[] {
    return [...this.tabs.values()].filter((tab) => !tab.closed);
  }

  adopt(record: TabRecord): Tab {
    const tab = new Tab(this.workspaceId, record, {
      changed: () => void this.#surroundings.save(this, false),
      closed: (gone) => this.#closed(gone),
      ready: (ready) => this.#surroundings.tabReady(this, ready),
      stored: () => this.#surroundings.stored(this),
      over: (work) => this.over(work),
    });
    this.tabs.set(record.tabId, tab);
    this.#forgetClosed();
    return tab;
  }

  /** @throws HoldfastError `MCP_TAB_NOT_FOUND`, `MCP_TAB_GONE` */
  tab(tabId: string): Tab {
    const tab = this.tabs.get(tabId);
    if (!tab)
      throw new HoldfastError("MCP_TAB_NOT_FOUND", `The project ${this.workspaceId} has no tab ${tabId}.`, { tabId });
    if (tab.closed) throw tab.gone();
    return tab;
  }

  /** The tab that was named, else the cursor's. @throws HoldfastError `MCP_TAB_NOT_FOUND`, `MCP_TAB_GONE` */
  find(tabId: string | null, profileId: string | undefined): Tab {
    const wanted = tabId ?? this.cursor?.tabId;
    if (wanted === undefined) {
      const lastUrl = [...this.tabs.values()].findLast((tab) => tab.closed)?.record.url ?? null;
      throw new HoldfastError(
        "MCP_TAB_GONE",
        "The project has no cursor: open a tab with browser_tabs new, or select one.",
        {
          workspaceId: this.workspaceId,
          lastUrl,
          tabs: this.open.map((tab) => tab.id),
        },
      );
    }
    const tab = this.tab(wanted);
    if (profileId === undefined || profileId === tab.record.profileId) return tab;
    const told = `The tab ${tab.id} is of the profile ${tab.record.profileId}, not of ${profileId}: open one with browser_tabs new.`;
    throw new HoldfastError("MCP_TAB_NOT_FOUND", told, { tabId: tab.id, profileId: tab.record.profileId });
  }

  /** Makes a tab of a page that is there. @throws HoldfastError `MCP_QUEUE_FULL` over `TABS_MAX` */
  async take(record: Omit<TabRecord, "tabId">): Promise<Tab> {
    this.#checkRoom();
    const tab = this.adopt({ tabId: await this.#surroundings.mintTab(), ...record });
    await this.#surroundings.save(this, true);
    this.#surroundings.tabOpened(this, tab, this.running?.work.operationId ?? null);
    return tab;
  }

  /** Opens an empty tab; whoever asked may be gone when its page comes. @throws HoldfastError `MCP_QUEUE_FULL` over `TABS_MAX` */
  async openTab(profileId: string, signal: AbortSignal): Promise<Tab> {
    this.#checkRoom();
    const tabId = await this.#surroundings.mintTab();
    const live = await this.profiles.newPage(profileId);
    if (signal.aborted) {
      await live.page.close();
      throw signal.reason;
    }
    const tab = this.adopt({ tabId, profileId, url: "about:blank", title: "", state: "loading", openerTabId: null });
    tab.attach(live);
    tab.move("loaded");
    await this.#surroundings.save(this, true);
    this.#surroundings.tabOpened(this, tab, this.running?.work.operationId ?? null);
    return tab;
  }

  /**
   * Gives a sleeping or crashed tab a page again, at its address, with its drafts and position.
   * @returns the drafts that the page of today does not take
   */
  async wake(tab: Tab, options: { readonly load: boolean; readonly signal?: AbortSignal }): Promise<readonly Draft[]> {
    if (tab.arriving) await tab.arrived(options.signal);
    // Whoever comes while it wakes for another waits for that one, and must not find a page that is half there.
    while (tab.waking) await tab.waking.catch(() => undefined);
    if (tab.live || tab.closed) return [];
    const waking = this.#wake(tab, options);
    tab.waking = waking;
    return waking.finally(() => {
      tab.waking = null;
    });
  }

  /** Nothing of the execution is begun any more, and what is under way ends. */
  stop(executionId: string, reason: HoldfastError): Running | null {
    this.stopped.add(executionId);
    // What a dialog holds back was answered before, and would go on when somebody answers the dialog.
    for (const tab of this.open) {
      if (tab.heldBack && tab.heldFor === executionId) tab.ending = cut(tab, tab.heldBack).then(() => undefined);
    }
    if (this.running?.work.taskId !== executionId) return null;
    this.running.abort.abort(reason);
    return this.running;
  }

  /** The operation ends, or is never begun; its execution goes on. */
  cancel(operationId: string, reason: HoldfastError): Running | null {
    if (this.running?.work.operationId === operationId) {
      this.running.abort.abort(reason);
      return this.running;
    }
    this.cancelled.add(operationId);
    return null;
  }

  /** Resolves when work that was told to end has ended: if need be, because its frozen browser has. */
  async over(work: Promise<unknown>): Promise<void> {
    // Asked meanwhile and not afterwards: a stop must not take both times.
    const browserLooked = this.#surroundings.endSilentBrowser();
    if (!(await within(CLOSE_MS, work))) await browserLooked;
  }

  /** Resolves when of every page that has gone it is known how. */
  async fates(): Promise<void> {
    await Promise.all(this.open.map((tab) => tab.fate()));
  }

  /** The browser went, and every page with it: tabs sleep, and wake in the next one. */
  forgetPages(): void {
    this.profiles.forget();
    for (const tab of this.open) tab.lose();
  }

  async closePages(): Promise<void> {
    this.#surroundings.letGo(this.guard);
    for (const tab of this.open) {
      // A person's browser goes on: what is the person's stays open there, and what is ours does not.
      if (tab.record.adopted) await tab.close();
      if (tab.live?.persons) await tab.sleep();
      tab.live = null;
      tab.targetId = null;
      tab.move("sleep");
    }
    await this.over(this.profiles.close());
  }

  async #wake(tab: Tab, { load, signal }: { load: boolean; signal?: AbortSignal }): Promise<readonly Draft[]> {
    // In a person's browser its page may still be there.
    if (await rebindTab(this, tab)) return [];
    if (tab.closed) throw tab.gone();
    tab.attach(await this.profiles.newPage(tab.record.profileId));
    if (load) return loadAgain(this, tab, signal);
    tab.move("loaded");
    return [];
  }

  /** A tab went, whoever closed it: a cursor that stood there goes back to where it came from. */
  #closed(tab: Tab): void {
    if (this.cursor?.tabId === tab.id) {
      const back = cursorAfterClose(
        tab.record,
        this.open.map((open) => open.record),
      );
      if (back) this.moveCursor(back);
    }
    // Its page is still on its way: nobody has a page object of it that could be closed.
    const { closeTarget, onFault } = this.#surroundings;
    if (tab.arriving && tab.targetId !== null) void closeTarget(tab.targetId).catch(onFault);
    // The last that closed comes last: where the project has no tab left, that is where it was.
    if (this.tabs.delete(tab.id)) this.tabs.set(tab.id, tab);
    this.#surroundings.tabClosed(this, tab);
  }

  /** Moves the cursor, and tells it at once if no operation is under way that will. */
  moveCursor(cursor: Cursor | null): void {
    this.cursor = cursor;
    if (!this.running) this.#surroundings.cursorMoved(this);
  }

  #checkRoom(): void {
    if (this.open.length < TABS_MAX) return;
    throw new HoldfastError("MCP_QUEUE_FULL", `The project has ${TABS_MAX} tabs: close one first.`, {
      tabs: this.open.length,
      tabsMax: TABS_MAX,
    });
  }

  #forgetClosed(): void {
    const closed = [...this.tabs.values()].filter((tab) => tab.closed);
    for (const tab of closed.slice(0, Math.max(0, closed.length - CLOSED_TABS_MAX))) this.tabs.delete(tab.id);
  }
}
