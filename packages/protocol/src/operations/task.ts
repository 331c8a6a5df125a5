import { z } from "zod";
import { DEFAULT_PROFILE, token } from "../ids.js";
import { operation } from "../operation.js";
import { executionState, newTabPolicy, operationOutcome, verdict } from "../states.js";
import { subjects } from "../subjects.js";
import { workspaceId } from "./common.js";
import { cursorShape } from "./project.js";

export const taskShape = z.object({
  taskId: z.string(),
  workspaceId: z.string(),
  profileId: z.string(),
  goal: z.string(),
  state: executionState,
  since: z.string(),
  /** When it ended, ISO 8601; null while it goes on. */
  endedAt: z.string().nullable(),
  result: z.string().nullable(),
  cursor: cursorShape.nullable(),
});
export type TaskShape = z.infer<typeof taskShape>;

export const stopResult = z.object({
  /** This call, or an earlier one, asked for the stop. */
  requested: z.boolean(),
  state: z.enum(["stopped", "stopping", "already_ended"]),
  /** The operation that was cut, and what is known of it. */
  interrupted: z.object({ operationId: z.string(), outcome: operationOutcome }).nullable(),
  /** How many queued operations were discarded; none of them was begun. */
  discarded: z.int(),
  note: z.string(),
});
export type StopResult = z.infer<typeof stopResult>;

const control = { lane: "control", owner: "task-control", answers: "state" } as const;

export const taskOperations = [
  operation({
    ...control,
    name: "task_start",
    subject: subjects.control("task_start"),
    sentence: "Starts a task: it holds the project until it is finished or stopped, and outlives your connection.",
    request: z.strictObject({
      workspaceId,
      profileId: token.default(DEFAULT_PROFILE),
      goal: z.string().max(4000).default("").describe("What the task is for."),
      owner: z.string().max(200).default("agent").describe("Who works on it."),
      newTab: newTabPolicy
        .optional()
        .describe("What new tabs do to the cursor during this task, unless a call says otherwise."),
      taskId: token.optional().describe("Your own id for it; asking again with it gives the same task."),
    }),
    response: taskShape,
    failures: ["MCP_PROJECT_BUSY", "MCP_PROFILE_NOT_FOUND", "MCP_TASK_ENDED", "MCP_TASK_NEEDS_CHECK"],
  }),
  operation({
    lane: "query",
    owner: "task-control",
    answers: "state",
    name: "task_status",
    subject: subjects.query("task", "status"),
    sentence: "Tells where a task stands; with no taskId, the one that holds the project.",
    request: z.strictObject({ workspaceId, taskId: token.optional() }),
    response: taskShape,
    failures: ["MCP_TASK_NOT_FOUND"],
  }),
  operation({
    ...control,
    name: "task_finish",
    subject: subjects.control("task_finish"),
    sentence: "Ends a task whose work is done, or has failed, and frees the project.",
    request: z.strictObject({
      workspaceId,
      taskId: token,
      state: z.enum(["finished", "failed"]).default("finished"),
      result: z.string().max(20_000).optional().describe("What came of it, for whoever reads it later."),
    }),
    response: taskShape,
    failures: ["MCP_TASK_NOT_FOUND", "MCP_TASK_MISMATCH", "MCP_PROJECT_BUSY", "MCP_TASK_NEEDS_CHECK"],
  }),
  operation({
    ...control,
    name: "task_stop",
    subject: subjects.control("stop"),
    sentence: "Stops exactly one task, at once, whatever its page does; what a site already took in is not undone.",
    request: z.strictObject({
      workspaceId: token.describe("The project; must match."),
      profileId: token.describe("The task's profile; must match."),
      taskId: token.describe("The task; must match."),
    }),
    response: stopResult,
    failures: ["MCP_TASK_MISMATCH", "MCP_TASK_NOT_FOUND"],
  }),
  operation({
    ...control,
    name: "task_cancel",
    subject: subjects.control("cancel"),
    sentence: "Ends one operation that is queued or under way, at once; its task goes on.",
    request: z.strictObject({ workspaceId, operationId: token.describe("The operation to end.") }),
    response: z.object({
      /** False if it was not queued or under way any more. */
      requested: z.boolean(),
      operationId: z.string(),
      /** How it ended, if it has. */
      outcome: operationOutcome.nullable(),
    }),
    failures: [],
  }),
  operation({
    ...control,
    name: "task_resolve",
    subject: subjects.control("task_resolve"),
    sentence: "Says what you found of an operation whose outcome is unknown; its task, if it has one, then goes on.",
    request: z.strictObject({
      workspaceId,
      taskId: token.optional().describe("The task that the operation was done for; absent if it was for none."),
      operationId: token.describe("The operation whose outcome is unknown."),
      verdict: verdict.describe("What a read of the page showed."),
    }),
    response: z.object({
      workspaceId: z.string(),
      operationId: z.string(),
      verdict,
      /** Where its task stands now; null if it was for none. */
      task: taskShape.nullable(),
    }),
    failures: ["MCP_TASK_MISMATCH", "MCP_TASK_NOT_FOUND", "MCP_TASK_ENDED"],
  }),
] as const;
