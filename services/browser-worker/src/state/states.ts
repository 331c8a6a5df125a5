import { type Bus, call } from "@holdfast/bus";
import { type Claim, operationNamed, type ProjectStatus, type SavedProject } from "@holdfast/protocol";
import type { Logger } from "pino";
import type { SleepLimits } from "../core/sleeping.js";
import { LOGIN_LOOK_EVERY_MS } from "../limits.js";
import type { Project } from "../project.js";
import { Sleeper } from "../sleep/sleeper.js";
import { type Login, lookAtLogin } from "./login.js";
import { restoreState } from "./restore.js";
import { Saver } from "./saver.js";
import { type Loaded, StateKeeper, type StateParts } from "./state-keeper.js";

export interface StatesParts extends StateParts {
  readonly bus: Bus;
  readonly log: Logger;
  readonly limits: SleepLimits;
  readonly memory: () => Promise<number | null>;
}

/** What is told of a project that came back. */
export interface RestoreTold {
  readonly report: "restored";
  readonly savedAt: string;
  readonly ageMs: number;
  readonly encrypted: boolean;
  readonly items: unknown[];
  readonly logins: Awaited<ReturnType<typeof restoreState>>["logins"];
}

/** Takes care of what outlives a page: saves it on change, brings it back, and puts to sleep what nobody uses. */
export class States {
  readonly #parts: StatesParts;
  readonly #keeper: StateKeeper;
  readonly #saver: Saver;
  readonly #sleeper: Sleeper;
  readonly #projects = new Map<Project, readonly Login[]>();
  /** Monotonic ms of the last look at a project's doubtful logins. */
  readonly #lookedAt = new WeakMap<Project, number>();

  constructor(parts: StatesParts) {
    this.#parts = parts;
    this.#keeper = new StateKeeper(parts);
    this.#saver = new Saver(
      async (project) => {
        await this.#lookAgain(project, LOGIN_LOOK_EVERY_MS);
        return this.#keeper.save(project);
      },
      (project, thrown) =>
        parts.log.warn({ workspaceId: project.workspaceId, err: thrown }, "a project was not saved; it is tried again"),
    );
    const { limits, memory, log } = parts;
    this.#sleeper = new Sleeper({
      limits,
      memory,
      log,
      projects: () => this.#projects.keys(),
      needed: (project) => this.#needed(project),
    });
  }

  get encrypts(): boolean {
    return this.#keeper.encrypts;
  }

  start(): void {
    const told = this.#keeper.encrypts
      ? "saved profiles are encrypted"
      : "saved profiles are not encrypted: HOLDFAST_STATE_KEY is not set";
    this.#parts.log.info(told);
    this.#saver.start();
    this.#sleeper.start();
  }

  stop(): void {
    this.#saver.stop();
    this.#sleeper.stop();
  }

  load(project: Project): Promise<Loaded> {
    return this.#keeper.load(project);
  }

  /** Brings a project back; null if nothing of it was saved. From here on it is saved when it changes. */
  async restore(project: Project, loaded: Loaded, asked: Claim): Promise<RestoreTold | null> {
    const logins = Object.entries(asked.loginChecks).map(([profileId, check]) => ({ profileId, check }));
    const done = project.uses.begin();
    try {
      if (!loaded.state && loaded.unreadable.length === 0) return null;
      const restored = await restoreState(project, loaded, { keeper: this.#keeper, logins });
      const savedAt = loaded.state?.savedAt ?? "";
      const ageMs = loaded.state ? Math.max(0, Date.now() - Date.parse(savedAt)) : 0;
      return { report: "restored", savedAt, ageMs, encrypted: loaded.encrypted, ...restored };
    } finally {
      done();
      this.#projects.set(project, logins);
      this.#saver.follow(project);
    }
  }

  touch(project: Project): void {
    this.#saver.touch(project);
  }

  /** Saves now, whether or not anything changed. */
  save(project: Project): Promise<SavedProject> {
    return this.#keeper.save(project);
  }

  /** Saves for the last time. */
  async release(project: Project): Promise<SavedProject> {
    await this.#lookAgain(project, 0);
    this.forget(project);
    return this.#keeper.save(project);
  }

  /** Whoever lost his login on the way here and has logged in again is seen to be back, and his state counts again. */
  async #lookAgain(project: Project, everyMs: number): Promise<void> {
    const now = performance.now();
    const distrusted = this.#keeper.distrusted(project);
    if (distrusted.length === 0 || now - (this.#lookedAt.get(project) ?? Number.NEGATIVE_INFINITY) < everyMs) return;
    this.#lookedAt.set(project, now);
    for (const login of this.#projects.get(project) ?? []) {
      if (!distrusted.includes(login.profileId)) continue;
      if ((await lookAtLogin(project, login)).state === "logged_in") this.#keeper.trust(project, login.profileId);
    }
  }

  forget(project: Project): void {
    this.#projects.delete(project);
    this.#saver.forget(project);
  }

  async #needed({ workspaceId, open }: Project): Promise<ReadonlySet<string>> {
    const answer = await call(this.#parts.bus, operationNamed("project_status"), { workspaceId }, { caller: "worker" });
    // Nobody can tell what is needed, so everything is.
    if (!answer.ok) return new Set(open.map(({ id }) => id));
    const { cursor, execution, operations, views } = answer.result as ProjectStatus;
    const busy = execution !== null || operations.some(({ outcome }) => outcome === "running" || outcome === "queued");
    return new Set([
      ...views.flatMap(({ tabId }) => (tabId === null ? [] : [tabId])),
      ...(busy && cursor ? [cursor.tabId] : []),
    ]);
  }
}
