import { confirmed, countOf, type Differences, differences } from "../core/reconcile.js";
import { EMPTY_POLLS_BEFORE_TAB_CHECK, LINK_ANSWER_MS, POLL_INTERVAL_MS } from "../limits.js";
import type { Project } from "../project.js";
import type { PageSeen, Targets } from "../tabs/targets.js";
import { within } from "../within.js";

export interface ReconcilerParts {
  readonly targets: Targets;
  readonly projects: () => readonly Project[];
  /** The browser does not answer: its debug link is dead, though nobody was told. */
  readonly linkLost: () => void;
  readonly onFault: (thrown: unknown) => void;
}

const NONE: Differences = { missed: [], gone: [], moved: [] };

/**
 * Compares a person's browser with what we have of it. There other programs debug the same browser and links break without
 * a word, so events can be missed: when nothing was heard for a while, the real list of pages is looked at.
 * In a browser of our own nothing is missed, and nothing of this runs.
 */
export class Reconciler {
  readonly #parts: ReconcilerParts;
  readonly #before = new WeakMap<Project, Differences>();
  #heard = 0;
  #emptyPolls = 0;
  #looking = false;
  #repairs = 0;

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
  }

  /** How much had to be put right so far. */
  get repairs(): number {
    return this.#repairs;
  }

  start(): () => void {
    const timer = setInterval(() => this.#poll(), POLL_INTERVAL_MS);
    return () => clearInterval(timer);
  }

  #poll(): void {
    const { heard } = this.#parts.targets;
    if (heard !== this.#heard) this.#emptyPolls = 0;
    this.#heard = heard;
    this.#emptyPolls += 1;
    if (this.#emptyPolls < EMPTY_POLLS_BEFORE_TAB_CHECK || this.#looking) return;
    this.#emptyPolls = 0;
    this.#looking = true;
    this.#look()
      .catch(this.#parts.onFault)
      .finally(() => {
        this.#looking = false;
      });
  }

  async #look(): Promise<void> {
    const { link } = this.#parts.targets;
    const pages: PageSeen[] = [];
    const listing = this.#parts.targets.list().then((all) => void pages.push(...all));
    const answered = await within(LINK_ANSWER_MS, listing);
    // Another link has come meanwhile: that this one was dead is known.
    if (this.#parts.targets.link !== link) return;
    if (!answered) return this.#parts.linkLost();
    await listing;
    const all = this.#parts.projects().map((project) => this.#compare(project, pages));
    // A difference that is seen for the first time may be on its way: it is looked at again with the next poll.
    if (all.some((count) => count > 0)) this.#emptyPolls = EMPTY_POLLS_BEFORE_TAB_CHECK;
  }

  /** How many differences there are that were not there at the look before. */
  #compare(project: Project, pages: readonly PageSeen[]): number {
    const tabs = project.open.flatMap(({ id, live, targetId, record }) =>
      live && targetId !== null ? [{ tabId: id, targetId, url: record.url }] : [],
    );
    const now = differences(pages, tabs);
    const sure = confirmed(this.#before.get(project) ?? NONE, now);
    this.#before.set(project, now);
    this.#repairs += countOf(sure);
    for (const { tabId, url } of sure.moved) project.tab(tabId).change({ url });
    for (const tabId of sure.gone) void project.tab(tabId).close();
    for (const page of sure.missed) project.arrivals.missed(page);
    return countOf(now) - countOf(sure);
  }
}
