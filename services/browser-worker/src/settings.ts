import type { Bucket } from "@holdfast/bus";
import { NO_PAGE_SCRIPTS, NO_URL_RULES, type ProjectSettings } from "@holdfast/protocol";
import type { Project } from "./project.js";
import { renewContexts } from "./rules/renew.js";

/** When new rules hold: see `project_rules`. */
export type Holds = "at_once" | "next_operation";

/** Brings what a person set for a project to its pages. */
export class Settings {
  readonly #bucket: Bucket<ProjectSettings>;

  constructor(bucket: Bucket<ProjectSettings>) {
    this.#bucket = bucket;
  }

  /** Takes the settings over; nothing of the project is in a browser yet. */
  async load(project: Project): Promise<void> {
    const { urlRules, pageScripts } = await this.#read(project);
    project.guard.set(urlRules);
    await project.documents.set(pageScripts);
  }

  /** The settings are other ones: they hold for what is open too. */
  async changed(project: Project): Promise<{ readonly holds: Holds }> {
    const { urlRules, pageScripts } = await this.#read(project);
    project.guard.set(urlRules);
    await project.documents.set(pageScripts);
    if (!project.guard.active || project.profiles.unproxied.length === 0) return { holds: "at_once" };
    // The operation under way goes on with its page; the next one finds the new contexts.
    const { running } = project;
    const before = running ? project.underWay : Promise.resolve();
    const renewed = Promise.allSettled([before, project.settled]).then(() => renewContexts(project));
    project.settled = renewed;
    // One that has come to its end, which is only on its way to task-control, has no more use for its page.
    if (running && running.toldCursor === undefined) return { holds: "next_operation" };
    await renewed;
    return { holds: "at_once" };
  }

  async #read(project: Project): Promise<ProjectSettings> {
    const entry = await this.#bucket.get(project.workspaceId);
    return entry?.value ?? { urlRules: NO_URL_RULES, pageScripts: NO_PAGE_SCRIPTS };
  }
}
