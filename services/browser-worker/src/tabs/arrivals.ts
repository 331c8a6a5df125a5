import type { NewTab } from "@holdfast/protocol";
import type { Page } from "playwright";
import { TABS_MAX } from "../limits.js";
import type { Project, Surroundings } from "../project.js";
import { Waits } from "../waits.js";
import type { ProfileListener } from "./profiles.js";
import type { Live, Tab } from "./tab.js";
import type { PageTarget } from "./targets.js";

/** A tab that came without being asked for, and what caused it: an operation, or null for the page itself or a person. */
export interface Arrival {
  readonly place: number;
  readonly tab: Tab;
  readonly cause: string | null;
}

/** How many arrivals are remembered, for the operation under way to tell. */
const ARRIVALS_MAX = 100;

/** Makes tabs of the pages that pages open: at once, whether they answer or not. */
export class Arrivals {
  /** The latest, oldest first. */
  readonly #seen: Arrival[] = [];
  /** Pages that were closed at once because the project has too many tabs. */
  readonly #refused: { readonly place: number; readonly url: string }[] = [];
  #place = 0;
  readonly #project: Project;
  readonly #surroundings: Surroundings;
  /** For what waits for a tab to come. */
  readonly waits = new Waits();
  readonly #byTarget = new Map<string, Promise<Tab | null>>();

  constructor(project: Project, surroundings: Surroundings) {
    this.#project = project;
    this.#surroundings = surroundings;
  }

  listener(profileId: string): ProfileListener {
    const { onFault } = this.#surroundings;
    return {
      created: (target) => {
        // In a person's context only what a tab of ours opens is ours.
        if (this.#project.profiles.isPersons(profileId) && !this.#find(target.openerId ?? "")) return;
        // Our own pages have no opener, and come while we open them.
        if (target.openerId === null && this.#project.profiles.opening) return;
        this.#tabOf(profileId, target).catch(onFault);
      },
      changed: ({ targetId, url }) => {
        const tab = this.#find(targetId);
        if (tab?.arriving && url !== "") tab.change({ url });
      },
      gone: (targetId) => {
        this.#byTarget.delete(targetId);
        this.#find(targetId)?.went();
      },
      expects: (opener) => this.#project.open.some((tab) => tab.arriving || (opener && tab.live?.page === opener)),
      page: (page, live) => {
        this.#attach(profileId, page, live).catch(onFault);
      },
    };
  }

  /** A page of ours that nobody was told of. */
  missed(target: PageTarget): void {
    const from = this.#find(target.openerId ?? "");
    if (from) this.#tabOf(from.record.profileId, target).catch(this.#surroundings.onFault);
  }

  /** A mark in the order of arrivals. */
  get mark(): number {
    return this.#place;
  }

  /** What came after a mark. */
  since(mark: number): { arrived: Arrival[]; refused: string[] } {
    const after = ({ place }: { place: number }): boolean => place > mark;
    return { arrived: this.#seen.filter(after), refused: this.#refused.filter(after).map(({ url }) => url) };
  }

  /** The tab that an operation opened as its first, if it is still there. */
  ownOf(operationId: string | null): Tab | undefined {
    const own = this.#seen.find(({ cause }) => cause !== null && cause === operationId);
    return own?.tab.closed ? undefined : own?.tab;
  }

  #find(targetId: string): Tab | undefined {
    return this.#project.open.find((tab) => tab.targetId === targetId);
  }

  /** The page may be heard of in either way first; it becomes one tab. */
  async #attach(profileId: string, page: Page, live: Live): Promise<void> {
    const opener = await page.opener();
    const from = this.#project.open.find((tab) => tab.live?.page === opener);
    const openerId = from?.targetId ?? null;
    // A person's page that came while one of ours was on its way.
    if (this.#project.profiles.isPersons(profileId) && !from && !this.#byTarget.has(live.targetId))
      return void (await live.cdp.detach());
    const tab = await this.#tabOf(profileId, { targetId: live.targetId, openerId, url: page.url() });
    if (tab?.closed) await page.close();
    else tab?.attach(live);
  }

  #tabOf(profileId: string, target: PageTarget): Promise<Tab | null> {
    const known = this.#byTarget.get(target.targetId);
    if (known) return known;
    const made = this.#make(profileId, target);
    this.#byTarget.set(target.targetId, made);
    return made;
  }

  async #make(profileId: string, target: PageTarget): Promise<Tab | null> {
    const project = this.#project;
    const from = target.openerId === null ? undefined : this.#find(target.openerId);
    const cause = from && project.running?.tab === from ? project.running.work.operationId : null;
    if (project.open.length >= TABS_MAX) return this.#refuse(target, from);
    const tabId = await this.#surroundings.mintTab();
    const url = from?.openings.nextUrl() || target.url || "about:blank";
    const tab = project.adopt({ tabId, profileId, url, title: "", state: "loading", openerTabId: from?.id ?? null });
    tab.arrives(target.targetId);
    this.#place += 1;
    this.#seen.push({ place: this.#place, tab, cause });
    if (this.#seen.length > ARRIVALS_MAX) this.#seen.shift();
    from?.openings.came();
    this.waits.tell();
    this.#surroundings.tabOpened(project, tab, cause);
    await this.#surroundings.save(project, true);
    return tab;
  }

  async #refuse(target: PageTarget, from: Tab | undefined): Promise<null> {
    this.#place += 1;
    this.#refused.push({ place: this.#place, url: target.url });
    if (this.#refused.length > ARRIVALS_MAX) this.#refused.shift();
    from?.openings.came();
    await this.#surroundings.closeTarget(target.targetId);
    return null;
  }
}

/** What an operation is told of the tabs that came: the first that it caused is its own, the others are nobody's. */
export function newTabsOf(arrivals: readonly Arrival[], operationId: string): NewTab[] {
  const own = arrivals.find(({ cause }) => cause === operationId);
  return arrivals.map((arrival) => {
    const { tabId, openerTabId, url, state } = arrival.tab.record;
    return { tabId, openerTabId, url, state, ...(arrival === own ? {} : { unclaimed: true }) };
  });
}
