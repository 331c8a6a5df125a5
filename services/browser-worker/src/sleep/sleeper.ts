import type { Logger } from "pino";
import { type Awake, type SleepLimits, sleepers } from "../core/sleeping.js";
import { MEMORY_LOOK_MS, READ_STORAGE_MS, SAVE_PAGE_MS, SLEEP_LOOK_MS } from "../limits.js";
import type { Project } from "../project.js";
import { type PageRead, readPage } from "../state/saved-page.js";
import type { Tab } from "../tabs/tab.js";
import { within } from "../within.js";

export interface SleeperParts {
  readonly projects: () => Iterable<Project>;
  readonly limits: SleepLimits;
  /** Bytes that the browser uses; null where that cannot be measured. */
  readonly memory: () => Promise<number | null>;
  /** The tabs of a project that somebody counts on: the cursor of one that is busy, and those that viewers look at. */
  readonly needed: (project: Project) => Promise<ReadonlySet<string>>;
  readonly log: Logger;
}

/**
 * Puts tabs to sleep that nobody uses: what loading their address does not bring back is read first, then the page is
 * closed. A profile without pages gives its browser context back.
 */
export class Sleeper {
  readonly #parts: SleeperParts;
  /** Tabs that hold what would be lost, such as a password that is half typed: let be until they are used again. */
  readonly #kept = new WeakMap<Tab, number>();
  #timer: NodeJS.Timeout | undefined;
  #looking = false;
  #memory: number | null = null;
  #measuredAt = Number.NEGATIVE_INFINITY;

  constructor(parts: SleeperParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#look(), SLEEP_LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      await this.#measure();
      const projects = [...this.#parts.projects()];
      await this.#putToSleep(projects);
      for (const project of projects) await this.#giveBack(project);
    } catch (thrown) {
      this.#parts.log.warn({ err: thrown }, "a look at what should sleep was cut short; the next one is soon");
    } finally {
      this.#looking = false;
    }
  }

  async #measure(): Promise<void> {
    const now = performance.now();
    if (now - this.#measuredAt < MEMORY_LOOK_MS) return;
    this.#measuredAt = now;
    this.#memory = await this.#parts.memory();
  }

  async #putToSleep(projects: readonly Project[]): Promise<void> {
    const { limits, log } = this.#parts;
    const byId = new Map(projects.map((project) => [project.workspaceId, project]));
    const at = { now: performance.now(), memoryBytes: this.#memory };
    const needed = new Map<string, ReadonlySet<string>>();
    for (const { tab: chosen, why } of sleepers(
      projects.flatMap((project) => this.#awake(project)),
      at,
      limits,
    )) {
      const project = byId.get(chosen.workspaceId);
      const tab = project?.tabs.get(chosen.tabId);
      if (!project || !tab) continue;
      const counted = needed.get(project.workspaceId) ?? (await this.#parts.needed(project));
      needed.set(project.workspaceId, counted);
      if (counted.has(tab.id) || !(await this.#sleep(project, tab))) continue;
      log.info({ workspaceId: project.workspaceId, tabId: tab.id, why }, "a tab sleeps");
    }
  }

  #awake(project: Project): Awake[] {
    const { workspaceId } = project;
    return project.open
      .filter(({ live }) => live !== null)
      .map((tab) => ({ workspaceId, tabId: tab.id, usedAt: tab.uses.lastAt, free: this.#isFree(project, tab) }));
  }

  #isFree(project: Project, tab: Tab): boolean {
    if (!tab.uses.idle || tab.dialog || tab.heldBack || tab.ending || tab.arriving || tab.waking) return false;
    // What is recorded would have a gap, and what is still loading was asked for just now.
    if (project.recorder || project.running?.tab === tab || tab.record.state === "loading") return false;
    // A person's page is the person's: nobody closes it to save memory.
    if (tab.live?.persons) return false;
    return this.#kept.get(tab) !== tab.uses.lastAt;
  }

  /** False if it stays awake. */
  async #sleep(project: Project, tab: Tab): Promise<boolean> {
    const { uses, live } = tab;
    const usedAt = uses.lastAt;
    if (!live || !this.#isFree(project, tab)) return false;
    const { url } = tab.record;
    let read: PageRead | null = null;
    const reading = readPage(live.page).then((found) => {
      read = found;
    });
    await within(SAVE_PAGE_MS, reading);
    const seen = read as PageRead | null;
    if (!seen || seen.unsaved > 0) this.#kept.set(tab, usedAt);
    if (!seen || seen.unsaved > 0 || uses.lastAt !== usedAt || tab.record.url !== url || !this.#isFree(project, tab)) {
      return false;
    }
    project.savedPages.set(tab.id, { tabId: tab.id, url, ...seen });
    await tab.sleep();
    return true;
  }

  /** A context costs memory though it has no page; what it keeps is read out, and the next one is made of it. */
  async #giveBack(project: Project): Promise<void> {
    const { profiles, uses } = project;
    const unused = (profileId: string): boolean =>
      uses.idle &&
      performance.now() - uses.lastAt >= this.#parts.limits.contextIdleMs &&
      !project.running &&
      !project.recorder &&
      !profiles.opening &&
      !profiles.isPersons(profileId) &&
      !project.open.some((tab) => tab.record.profileId === profileId && (tab.live || tab.arriving));
    for (const profileId of profiles.inUse.filter(unused)) {
      const reading = profiles.storage(profileId).then((storage) => profiles.saved.set(profileId, storage));
      let read = false;
      await within(
        READ_STORAGE_MS,
        reading.then(() => {
          read = true;
        }),
      );
      if (read && unused(profileId)) await profiles.renew(profileId);
    }
  }
}
