import { z } from "zod";
import { token } from "../ids.js";
import { operation } from "../operation.js";
import { historyRecord } from "../saved.js";
import { subjects } from "../subjects.js";
import { artifact, workspaceId } from "./common.js";
import { projectStatus } from "./project.js";

/** Operations that one page of a history holds at most. */
export const HISTORY_PAGE_MAX = 200;
const HISTORY_PAGE = 50;
/** Characters of an exported project that are given as text: what is larger is fetched as an artifact. */
export const EXPORT_TEXT_CHARS_MAX = 200_000;

const ofProject = { owner: "task-control", answers: "state" } as const;

export const recordOperations = [
  operation({
    ...ofProject,
    name: "project_history",
    lane: "query",
    subject: subjects.query("project", "history"),
    sentence:
      "Tells what was done in the project: each change, who asked, its arguments without secrets, its outcome, how long it took.",
    request: z.strictObject({
      workspaceId,
      before: z.int().min(1).optional().describe("Only what is older than this sequence: `next` of the page before."),
      limit: z.int().min(1).max(HISTORY_PAGE_MAX).default(HISTORY_PAGE).describe("Operations on one page."),
      taskId: token.optional().describe("Only this task's."),
      operation: z.string().optional().describe("Only operations of this name."),
      outcome: z.enum(["done", "failed", "refused", "stopped", "unknown"]).optional().describe("Only these."),
    }),
    response: z.object({
      workspaceId: z.string(),
      /** Newest first. */
      operations: z.array(historyRecord),
      /** Give it as `before` for the page that follows; null on the last. */
      next: z.int().nullable(),
    }),
    failures: [],
  }),
  operation({
    ...ofProject,
    name: "project_export",
    lane: "control",
    subject: subjects.control("project_export"),
    sentence: "Saves the project and packs it for another place: profiles with their storage, tabs, drafts, memory.",
    request: z.strictObject({
      workspaceId,
      text: z
        .boolean()
        .default(false)
        .describe("Give the whole as text too, if it is short enough. It logs in whoever has it."),
    }),
    response: z.object({
      workspaceId: z.string(),
      /** Where the packed project lies; it is kept for a day. */
      artifact,
      /** Its storage can be read only where HOLDFAST_STATE_KEY is the same. */
      encrypted: z.boolean(),
      /** When its storage was saved, ISO 8601; null if there is none. */
      savedAt: z.string().nullable(),
      tabs: z.int(),
      text: z.string().optional(),
    }),
    failures: ["MCP_NO_WORKER"],
    timeoutMs: 60_000,
  }),
  operation({
    ...ofProject,
    name: "project_import",
    lane: "control",
    subject: subjects.control("project_import"),
    sentence:
      "Makes a project out of an exported one, under a name that no project has; its tabs get ids of their own.",
    secrets: ["text"],
    request: z.strictObject({
      workspaceId: token.describe("The name of the project that is made."),
      artifact: z.string().min(1).optional().describe("The name of the artifact that project_export gave."),
      text: z.string().min(2).optional().describe("The exported project itself."),
    }),
    response: projectStatus,
    failures: ["MCP_PROJECT_EXISTS"],
    timeoutMs: 60_000,
  }),
] as const;
