import { z } from "zod";
import type { FailureCode } from "../failures.js";
import { DEFAULT_WORKSPACE, token } from "../ids.js";
import { newTabPolicy } from "../states.js";

/** No operation may be given more than this, in ms: ten minutes, longer than any page a person would wait for. */
export const TIMEOUT_MS_MAX = 600_000;
/** A call acts within this, in ms, unless it says otherwise: what agents are used to from Playwright MCP. */
export const ACTION_TIMEOUT_MS = 5_000;
/** A navigation, in ms, likewise. */
export const NAVIGATION_TIMEOUT_MS = 60_000;
/** A read of a page, in ms: longer than an action, since large pages take time to serialise. */
export const READ_TIMEOUT_MS = 10_000;

export const workspaceId = token
  .default(DEFAULT_WORKSPACE)
  .describe("The project; by default the endpoint's, else `default`.");

/** Fields that every page operation takes. */
export const pageFields = {
  workspaceId,
  profileId: token.optional().describe("The profile; by default the cursor's."),
  tabId: token.optional().describe("The tab; by default the project's cursor."),
  taskId: token.optional().describe("The task this belongs to, as task_start gave it."),
  operationId: token
    .optional()
    .describe("Your own id: asking again with it gives the stored outcome and runs nothing twice."),
  timeoutMs: z.int().min(1).max(TIMEOUT_MS_MAX).optional().describe("How long it may run, in milliseconds."),
};

const newTabField = newTabPolicy
  .optional()
  .describe(
    "What a tab that this opens does to the cursor: report (default) tells of it, follow goes there, lazy goes there when needed.",
  );

/** Fields of page operations that change something. */
export const changeFields = {
  ...pageFields,
  newTab: newTabField,
  snapshot: z
    .enum(["full", "diff", "none"])
    .optional()
    .describe("Add the page tree to the answer: all of it, what changed since the last one, or nothing (default)."),
};

/** An element: a ref from a snapshot, or a selector that matches exactly one. */
export const elementFields = {
  element: z.string().optional().describe("The element in words, for the record."),
  target: z.string().min(1).describe("A ref of the last snapshot, such as e12 or f1e12, or a selector of one element."),
};
export const elementAliases = { ref: "target" };

/** A large thing kept outside the message: `bucket` and `name` in the object store. */
export const artifact = z.object({
  bucket: z.string(),
  name: z.string(),
  bytes: z.int(),
  mimeType: z.string(),
});
export type Artifact = z.infer<typeof artifact>;

/** What every page operation answers with. */
export const pageResult = z.object({
  /** What was done or read, complete for a model. */
  text: z.string(),
  /** The page tree, cut at a limit that is named in it. */
  snapshot: z.string().optional(),
  /** Characters of the whole tree, and whether `snapshot` holds all of them. */
  snapshotChars: z.int().optional(),
  truncated: z.boolean().optional(),
  image: artifact.optional(),
  /** The value of an evaluation, as JSON. */
  value: z.unknown().optional(),
});
export type PageResult = z.infer<typeof pageResult>;

/** Failures of anything that goes through admission to a page. */
export const PAGE_FAILURES = [
  "MCP_TARGET_TAB_BUSY",
  "MCP_PROFILE_NOT_FOUND",
  "MCP_TAB_NOT_FOUND",
  "MCP_TAB_GONE",
  "MCP_NO_WORKER",
  "MCP_PAGE_FAILED",
  "MCP_PAGE_CRASHED",
  "MCP_DIALOG_OPEN",
] as const satisfies readonly FailureCode[];

/** Failures of anything that changes a page, beside those. */
export const CHANGE_FAILURES = [
  ...PAGE_FAILURES,
  "MCP_PROJECT_BUSY",
  "MCP_TASK_NOT_FOUND",
  "MCP_TASK_ENDED",
  "MCP_TASK_NEEDS_CHECK",
  "MCP_OPERATION_CONFLICT",
  "MCP_OUTCOME_UNKNOWN",
  "MCP_STOPPED",
  "MCP_QUEUE_FULL",
] as const satisfies readonly FailureCode[];
