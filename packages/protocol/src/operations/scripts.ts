import { z } from "zod";
import { token } from "../ids.js";
import { operation } from "../operation.js";
import { subjects } from "../subjects.js";

/** Scripts, and styles, of one project. */
export const SCRIPTS_MAX = 20;
/** Characters of all of them together: they travel in one message of at most 1 MB. */
export const SCRIPTS_CHARS_MAX = 400_000;

const name = token.describe("A name for it; giving it again replaces what it names.");
const source = z.string().max(SCRIPTS_CHARS_MAX);
const scripts = z.array(z.strictObject({ name, script: source })).max(SCRIPTS_MAX);
const styles = z.array(z.strictObject({ name, css: source })).max(SCRIPTS_MAX);

/** What is put into every document of a project's tabs. */
export const pageScripts = z.strictObject({ scripts: scripts.default([]), styles: styles.default([]) });
export type PageScripts = z.infer<typeof pageScripts>;

export const NO_PAGE_SCRIPTS: PageScripts = { scripts: [], styles: [] };

export const scriptOperations = [
  operation({
    name: "project_scripts",
    lane: "control",
    subject: subjects.control("project_scripts"),
    owner: "task-control",
    answers: "state",
    sentence:
      "Sets scripts and styles that are put into every document of the project's tabs, before its own; with neither it only tells them.",
    request: z.strictObject({
      workspaceId: token.describe("The project."),
      scripts: scripts
        .optional()
        .describe("JavaScript, run once in each document; [] takes all away for new documents."),
      styles: styles
        .optional()
        .describe("CSS for each document; [] takes all away, also from documents that are open."),
    }),
    response: z.object({ workspaceId: z.string(), scripts, styles }),
    failures: [],
  }),
] as const;
