import type { Recordings } from "@holdfast/bus";
import type { Completeness, RecordedAction, RecordingGap, RecordingHeader } from "@holdfast/protocol";
import type { BrowserContext, Frame, Page } from "playwright";
import { causeOf } from "../core/cause.js";
import * as coverage from "../core/coverage.js";
import { RECORDED_STEPS_MAX } from "../limits.js";
import type { Project } from "../project.js";
import type { Live, Tab } from "../tabs/tab.js";
import { Early } from "./early.js";
import { Follower } from "./follow.js";
import { pathOf } from "./frames.js";
import { Injection } from "./injection.js";
import { Journal } from "./journal.js";
import { actionOf, type PageTold, readTold } from "./told.js";

interface Followed {
  readonly tab: Tab;
  readonly off: () => void;
  page: Follower | null;
  hadPage: boolean;
  /** Its page is given what other pages have by their context. */
  equipping: Promise<void>;
  /** Since when its crashed page is not seen. */
  crashedAt: string | null;
}

/** Records one project: its tabs and no others can reach it. */
export class Recorder {
  coverage: Completeness;
  /** Of what was recorded before this worker took it up. */
  lastStepAt: string | null = null;
  readonly journal: Journal;
  readonly header: RecordingHeader;
  readonly #project: Project;
  readonly #onFault: (thrown: unknown) => void;
  readonly #injection: Injection;
  readonly #tabs = new Map<Tab, Followed>();
  /** What was told by pages that are no tab's yet. */
  readonly #early = new Early();
  #ended = false;

  constructor(project: Project, store: Recordings, header: RecordingHeader, onFault: (thrown: unknown) => void) {
    this.#project = project;
    this.#onFault = onFault;
    this.header = header;
    this.coverage = header.completeness;
    this.journal = new Journal(store, header, onFault);
    this.#injection = new Injection((frame, text) => this.#hear(frame, text));
  }

  /** From here on everything is seen, in the documents that are there as in those to come. */
  async begin(): Promise<void> {
    const { profiles } = this.#project;
    // In a person's context only the project's tabs are recorded, each by itself: the others are none of its business.
    const own = profiles.inUse.filter((profileId) => !profiles.isPersons(profileId));
    await Promise.all(own.map(async (profileId) => this.contextMade(await profiles.context(profileId))));
    await Promise.all(this.#project.open.map((tab) => this.#follow(tab)));
  }

  /** A profile's context is new: nothing was loaded in it yet. */
  async contextMade(context: BrowserContext): Promise<void> {
    await this.#injection.install(context);
    context.on("close", () => {
      if (!this.#ended) this.gap({ tabId: null, why: "browser_lost", note: "The browser ended." });
    });
  }

  tabOpened(tab: Tab, cause: string | null): void {
    const { url, openerTabId } = tab.record;
    this.#note(tab, { do: "tab_opened", url, openerTabId }, { cause });
    this.#follow(tab).catch(this.#onFault);
  }

  /** Resolves when a tab that has just come is recorded. */
  async covers(tab: Tab): Promise<void> {
    await this.#tabs.get(tab)?.equipping;
  }

  tabClosed(tab: Tab): void {
    this.#endCrash(tab);
    if (!this.#tabs.get(tab)?.hadPage) this.#hearEarly(tab, this.#early.pageAt(tab.record.url));
    this.#note(tab, { do: "tab_closed", url: tab.record.url }, {});
    this.#unfollow(tab);
  }

  /** @param from since when nothing was seen; by default only this moment is missing */
  gap(gap: Pick<RecordingGap, "tabId" | "why" | "note">, from = now()): void {
    this.coverage = coverage.gapSeen(this.coverage, { from, to: now(), ...gap });
  }

  /**
   * Ends in every document, and stores what is left. Whatever a document told before is heard before it answers that it has
   * ended, so nothing that was done before the stop is lost by it.
   */
  async end(): Promise<void> {
    await this.#injection.remove();
    for (const tab of this.#tabs.keys()) this.#endCrash(tab);
    const lost = this.#early.steps;
    const note = `${lost} steps were done in a window that was gone before it was known.`;
    if (lost > 0) this.gap({ tabId: null, why: "not_injected", note });
    this.#ended = true;
    for (const tab of [...this.#tabs.keys()]) this.#unfollow(tab);
    await this.journal.flush();
  }

  async #follow(tab: Tab): Promise<void> {
    if (this.#tabs.has(tab)) return;
    const followed: Followed = {
      tab,
      page: null,
      hadPage: false,
      equipping: Promise.resolve(),
      crashedAt: null,
      off: tab.waits.on(() => this.#look(followed)),
    };
    this.#tabs.set(tab, followed);
    this.coverage = coverage.tabSeen(this.coverage, tab.id);
    const { live } = tab;
    const isCovered = live !== null && this.#injection.covers(live.page);
    this.#look(followed);
    if (isCovered) await this.#giveAll(tab, live);
    await followed.equipping;
  }

  async #equip(tab: Tab, live: Live): Promise<void> {
    await this.#injection.install(live.page);
    await this.#giveAll(tab, live);
  }

  async #giveAll(tab: Tab, { page }: Live): Promise<void> {
    await Promise.all(page.frames().map((frame) => this.#give(tab, frame)));
  }

  #unfollow(tab: Tab): void {
    const followed = this.#tabs.get(tab);
    this.#tabs.delete(tab);
    followed?.off();
    followed?.page?.stop();
  }

  /** Something about the tab changed: it may have another page, or none. */
  #look(followed: Followed): void {
    const { tab } = followed;
    if (tab.crashed) followed.crashedAt ??= now();
    if (followed.page?.live === tab.live) return;
    followed.page?.stop();
    followed.page = null;
    if (!tab.live) return;
    this.#endCrash(tab);
    followed.page = new Follower(tab, tab.live, {
      action: (action) => this.#note(tab, action, {}),
      silent: (frame, since) => void this.#give(tab, frame, since).catch(this.#onFault),
    });
    followed.hadPage = true;
    if (!this.#injection.covers(tab.live.page)) followed.equipping = this.#equip(tab, tab.live).catch(this.#onFault);
    this.#hearEarly(tab, tab.live.page);
  }

  /**
   * A document that is there is given the script; one that cannot take it is a gap.
   * @param since when it came, if it should have had the script by itself: then what it lacked it is a gap too
   */
  async #give(tab: Tab, frame: Frame, since?: string): Promise<void> {
    const answer = await this.#injection.into(frame);
    if (answer === "begun" && since !== undefined) this.coverage = coverage.injectedAgain(this.coverage);
    if (answer === "there" || (answer === "begun" && since === undefined)) return;
    if (this.#ended || frame.isDetached() || tab.live?.page !== frame.page()) return;
    const told = answer === "begun" ? "A document took the script late" : "A document did not take the script";
    this.gap({ tabId: tab.id, why: "not_injected", note: `${told}: ${frame.url()}` }, since);
  }

  #endCrash(tab: Tab): void {
    const followed = this.#tabs.get(tab);
    if (!followed?.crashedAt) return;
    this.gap({ tabId: tab.id, why: "tab_crashed", note: "Its page crashed." }, followed.crashedAt);
    followed.crashedAt = null;
  }

  #hear(frame: Frame, text: unknown): void {
    const told = readTold(text);
    if (!told) {
      this.coverage = coverage.refused(this.coverage);
      return;
    }
    const tab = this.#project.open.find(({ live }) => live?.page === frame.page());
    if (tab) this.#take(tab, frame, told);
    else this.#early.add(frame, told);
  }

  #hearEarly(tab: Tab, page: Page | undefined): void {
    for (const { frame, told } of this.#early.of(page)) this.#take(tab, frame, told);
  }

  #take(tab: Tab, frame: Frame, told: PageTold): void {
    const page = this.#tabs.get(tab)?.page;
    if (told.kind === "here") {
      page?.here(frame);
      this.coverage = coverage.documentSeen(this.coverage, tab.id);
      return;
    }
    if (told.kind === "again") this.coverage = coverage.injectedAgain(this.coverage);
    if (told.kind === "fault") this.#onFault(new Error(`The capture script failed: ${told.message}`));
    const action = actionOf(told, pathOf(frame));
    if (action === "too_large") {
      this.gap({ tabId: tab.id, why: "too_large", note: "A value was too long to be kept." });
    } else if (action) {
      page?.acted();
      this.#note(tab, action, {
        at: new Date(told.at).toISOString(),
        element: `${told.document}.${told.element}`,
        cause: causeOf(this.#project, tab, told.at),
      });
    }
  }

  #note(tab: Tab, action: RecordedAction, known: { at?: string; element?: string; cause?: string | null }): void {
    if (this.#ended) return;
    if (this.journal.steps >= RECORDED_STEPS_MAX) {
      this.gap({ tabId: tab.id, why: "limit", note: `A recording has ${RECORDED_STEPS_MAX} steps at the most.` });
      return;
    }
    const cause = known.cause === undefined ? causeOf(this.#project, tab, Date.now()) : known.cause;
    const step = { at: known.at ?? now(), tabId: tab.id, cause, action };
    this.journal.add({ step, element: known.element ?? null });
  }
}

function now(): string {
  return new Date().toISOString();
}
