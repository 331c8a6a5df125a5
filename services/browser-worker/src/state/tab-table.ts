import type { Bucket } from "@holdfast/bus";
import type { TabTable } from "@holdfast/protocol";
import { TABLE_DEBOUNCE_MS } from "../limits.js";
import type { Project } from "../project.js";

/** Stores a project's tabs: at once where somebody waits for it, else gathered. */
export class TabTableKeeper {
  readonly #bucket: Bucket<TabTable>;
  readonly #lost: (project: Project) => void;
  readonly #onFault: (thrown: unknown) => void;
  readonly #revisions = new WeakMap<Project, number>();
  readonly #timers = new Map<Project, NodeJS.Timeout>();
  /** Writes of one project follow each other, each on the revision of the one before. */
  readonly #writing = new WeakMap<Project, Promise<void>>();

  constructor(
    bucket: Bucket<TabTable>,
    hooks: { readonly lost: (project: Project) => void; readonly onFault: (thrown: unknown) => void },
  ) {
    this.#bucket = bucket;
    this.#lost = hooks.lost;
    this.#onFault = hooks.onFault;
  }

  async load(project: Project): Promise<void> {
    const entry = await this.#bucket.get(project.workspaceId);
    this.#revisions.set(project, entry?.revision ?? 0);
    // No page of before is there any more: what was open sleeps.
    for (const record of entry?.value.tabs ?? []) {
      project.adopt(record.state === "closed" ? record : { ...record, state: "sleeping" });
    }
  }

  async save(project: Project, now: boolean): Promise<void> {
    if (now) return this.#write(project);
    if (this.#timers.has(project)) return;
    this.#timers.set(
      project,
      setTimeout(() => void this.#write(project).catch(this.#onFault), TABLE_DEBOUNCE_MS),
    );
  }

  forget(project: Project): void {
    clearTimeout(this.#timers.get(project));
    this.#timers.delete(project);
    this.#revisions.delete(project);
  }

  #write(project: Project): Promise<void> {
    clearTimeout(this.#timers.get(project));
    this.#timers.delete(project);
    const written = (this.#writing.get(project) ?? Promise.resolve()).then(() => this.#put(project));
    this.#writing.set(
      project,
      written.catch(() => undefined),
    );
    return written;
  }

  async #put(project: Project): Promise<void> {
    const revision = this.#revisions.get(project);
    if (revision === undefined) return;
    const table = { epoch: project.epoch, tabs: [...project.tabs.values()].map((tab) => tab.record) };
    const key = project.workspaceId;
    const next =
      revision === 0 ? await this.#bucket.create(key, table) : await this.#bucket.update(key, table, revision);
    // Only the holder of the lease writes here, so a lost write means that somebody else holds it now.
    if (next === null) return this.#lost(project);
    this.#revisions.set(project, next);
  }
}
