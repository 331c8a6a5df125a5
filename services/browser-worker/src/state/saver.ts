import type { SavedProject } from "@holdfast/protocol";
import { type Changes, dueAt } from "../core/saving.js";
import { cookieMark } from "../core/storage.js";
import { COOKIES_LOOK_MS, SAVE_EVERY_MS, SAVE_LATEST_MS, SAVE_LOOK_MS, SAVE_QUIET_MS } from "../limits.js";
import type { Project } from "../project.js";

const LIMITS = { quietMs: SAVE_QUIET_MS, everyMs: SAVE_EVERY_MS, latestMs: SAVE_LATEST_MS };

interface Followed {
  changes: Changes;
  cookies: string | null;
}

/** Saves projects when they have changed: never on the way of a call, one at a time, and each not too often. */
export class Saver {
  readonly #followed = new Map<Project, Followed>();
  readonly #save: (project: Project) => Promise<SavedProject>;
  readonly #onFault: (project: Project, thrown: unknown) => void;
  #saving = false;
  #lookedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(save: (project: Project) => Promise<SavedProject>, onFault: (project: Project, thrown: unknown) => void) {
    this.#save = save;
    this.#onFault = onFault;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#look(performance.now()), SAVE_LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  follow(project: Project): void {
    this.#followed.set(project, { changes: { dirtySince: null, changedAt: 0, savedAt: 0 }, cookies: null });
  }

  forget(project: Project): void {
    this.#followed.delete(project);
  }

  /** Something of the project changed that is worth saving. */
  touch(project: Project): void {
    const followed = this.#followed.get(project);
    if (!followed) return;
    const now = performance.now();
    followed.changes = { ...followed.changes, dirtySince: followed.changes.dirtySince ?? now, changedAt: now };
  }

  async #look(now: number): Promise<void> {
    if (this.#saving) return;
    this.#saving = true;
    try {
      if (now - this.#lookedAt >= COOKIES_LOOK_MS) {
        this.#lookedAt = now;
        await this.#lookAtCookies();
      }
      const due = [...this.#followed].find(
        ([, { changes }]) => (dueAt(changes, LIMITS) ?? Number.POSITIVE_INFINITY) <= now,
      );
      if (due) await this.#saveNow(...due);
    } finally {
      this.#saving = false;
    }
  }

  async #saveNow(project: Project, followed: Followed): Promise<void> {
    const before = followed.changes;
    // What changes from here on may not be in it, and is saved the next time.
    followed.changes = { ...before, dirtySince: null, savedAt: performance.now() };
    try {
      await this.#save(project);
    } catch (thrown) {
      followed.changes = { ...followed.changes, dirtySince: before.dirtySince };
      this.#onFault(project, thrown);
    }
  }

  /** A page may change its cookies by itself, in answers to requests that nobody here sees. */
  async #lookAtCookies(): Promise<void> {
    for (const [project, followed] of this.#followed) {
      const mark = await this.#cookiesOf(project).catch(() => followed.cookies);
      if (followed.cookies !== null && mark !== followed.cookies) this.touch(project);
      followed.cookies = mark;
    }
  }

  async #cookiesOf({ profiles }: Project): Promise<string> {
    const marks = await Promise.all(
      profiles.inUse.map(async (id) => `${id}\n${cookieMark(await profiles.cookies(id))}`),
    );
    return marks.sort().join("\n\n");
  }
}
