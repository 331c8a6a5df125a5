import { z } from "zod";
import { operation } from "../operation.js";
import { loginSeen } from "../saved.js";
import { executionKind, executionState, processState } from "../states.js";
import { subjects } from "../subjects.js";

/** What became of one saved thing at a start. */
export const restoredItem = z.object({
  what: z.enum(["profile", "tab", "draft", "cursor"]),
  id: z.string(),
  state: z.enum(["verified", "restored_unverified", "not_restored"]),
  reason: z.string(),
});
export type RestoredItem = z.infer<typeof restoredItem>;

export const restoreReport = z.object({
  workspaceId: z.string(),
  /** When the state was saved, ISO 8601. */
  savedAt: z.string(),
  /** ms between then and the restore: what happened in that time is not in it. */
  ageMs: z.int().optional(),
  encrypted: z.boolean().optional(),
  items: z.array(restoredItem),
  /** What the profiles' login checks have shown. */
  logins: z.array(loginSeen).optional(),
});
export type RestoreReport = z.infer<typeof restoreReport>;

export const blocker = z.object({
  workspaceId: z.string(),
  /** What makes it busy: its execution, or an operation without one. */
  execution: z
    .object({ kind: executionKind, id: z.string(), profileId: z.string(), state: executionState, since: z.string() })
    .nullable(),
  operations: z.int(),
  since: z.string(),
});
export type Blocker = z.infer<typeof blocker>;

export const savedProject = z.object({
  workspaceId: z.string(),
  saved: z.boolean(),
  profiles: z.int(),
  tabs: z.int(),
  drafts: z.int(),
  reason: z.string().optional(),
});
export type SavedProject = z.infer<typeof savedProject>;

export const systemOperations = [
  operation({
    name: "system_status",
    lane: "query",
    subject: subjects.query("system", "status"),
    owner: "task-control",
    answers: "state",
    sentence: "Tells the state of the stack: projects, workers, and what the last start restored.",
    request: z.strictObject({}),
    response: z.object({
      state: processState,
      projects: z.array(z.object({ workspaceId: z.string(), busy: z.boolean(), worker: z.string().nullable() })),
      workers: z.array(
        z.object({
          workerId: z.string(),
          pid: z.int(),
          state: processState,
          projects: z.int(),
          browser: z.string(),
          stateEncrypted: z.boolean(),
          /** The browser is one that a person has started. */
          attached: z.boolean(),
          /** What had to be put right of what was known of its tabs. */
          tabRepairs: z.int(),
        }),
      ),
      restore: z.array(restoreReport),
    }),
    failures: [],
  }),
  operation({
    name: "system_quit",
    lane: "control",
    subject: subjects.control("quit"),
    owner: "task-control",
    answers: "state",
    sentence: "Ends the application: refused while any project is busy; else state is saved and everything closes.",
    request: z.strictObject({}),
    response: z.object({ state: z.literal("closing"), saved: z.array(savedProject) }),
    failures: ["MCP_BACKGROUND_PROJECT_RUNNING"],
  }),
] as const;
