import { z } from "zod";
import { DEFAULT_PROFILE, token } from "../ids.js";
import { operation } from "../operation.js";
import { loginSeen } from "../saved.js";
import { executionKind, executionState, newTabPolicy, operationOutcome, tabState, verdict } from "../states.js";
import { subjects } from "../subjects.js";
import { workspaceId } from "./common.js";

/** A project's memory holds at most this many bytes of JSON in all: it is notes between conversations, not a store. */
export const MEMORY_BYTES_MAX = 65_536;

export const cursorShape = z.object({ workspaceId: z.string(), profileId: z.string(), tabId: z.string() });

/** How to see from a page that a profile is logged in: all that are given must hold. */
export const loginCheck = z.strictObject({
  url: z.string(),
  text: z.string().optional(),
  selector: z.string().optional(),
});

export const profileShape = z.strictObject({
  profileId: token,
  /** A name for people. It proves nothing about who is logged in. */
  displayName: z.string().max(200).optional(),
  loginCheck: loginCheck.optional(),
});
export type Profile = z.infer<typeof profileShape>;

export const executionShape = z.object({
  kind: executionKind,
  id: z.string(),
  profileId: z.string(),
  goal: z.string(),
  state: executionState,
  /** When it began, ISO 8601. */
  since: z.string(),
  owner: z.string(),
});
export type ExecutionShape = z.infer<typeof executionShape>;

export const operationRecord = z.object({
  operationId: z.string(),
  operation: z.string(),
  tabId: z.string().nullable(),
  taskId: z.string().nullable(),
  outcome: operationOutcome,
  at: z.string(),
  /** What somebody found who looked, where the end was not seen; the outcome stays unknown, this is his word. */
  verdict: z.object({ said: verdict, by: z.string(), at: z.string() }).optional(),
});

export const projectStatus = z.object({
  workspaceId: z.string(),
  cursor: cursorShape.nullable(),
  views: z.array(z.object({ viewerId: z.string(), workspaceId: z.string(), tabId: z.string().nullable() })),
  execution: executionShape.nullable(),
  worker: z.object({ workerId: z.string(), pid: z.int(), epoch: z.int() }).nullable(),
  /** Each with its display name, which is for people, and beside it what a look at its pages has shown. */
  profiles: z.array(profileShape.extend({ login: loginSeen.omit({ profileId: true }) })),
  /** Where the execution's work goes on; null when nothing holds the project. It follows from neither of those. */
  taskTarget: z
    .object({ taskId: z.string(), profileId: z.string(), tabId: z.string(), url: z.string(), title: z.string() })
    .nullable(),
  newTab: newTabPolicy,
  tabs: z.array(
    z.object({ tabId: z.string(), profileId: z.string(), url: z.string(), title: z.string(), state: tabState }),
  ),
  /** Those queued and in flight, then the last that ended, newest first. */
  operations: z.array(operationRecord),
  /** Operations whose end was not seen. */
  unknown: z.array(z.string()),
  memory: z.record(z.string(), z.unknown()),
});
export type ProjectStatus = z.infer<typeof projectStatus>;

const memoryResult = z.object({ workspaceId: z.string(), memory: z.record(z.string(), z.unknown()) });
const memoryKey = z.string().min(1).max(200);

const control = { lane: "control", owner: "task-control", answers: "state" } as const;
const query = { lane: "query", owner: "task-control", answers: "state" } as const;

export const projectOperations = [
  operation({
    ...control,
    name: "project_open",
    subject: subjects.control("project_open"),
    sentence: "Opens a project, making it if it is new; it always has the profile `default` and a tab.",
    request: z.strictObject({
      workspaceId: token.describe("The project's name."),
      profiles: z.array(profileShape).max(50).optional().describe("Profiles to add or to describe anew."),
      newTab: newTabPolicy
        .optional()
        .describe("What new tabs do to the cursor, unless a task or a call says otherwise."),
    }),
    response: projectStatus,
    failures: [],
  }),
  operation({
    ...query,
    name: "project_list",
    subject: subjects.query("project", "list"),
    sentence: "Lists the projects with their cursor and execution.",
    request: z.strictObject({}),
    response: z.object({
      projects: z.array(
        z.object({
          workspaceId: z.string(),
          cursor: cursorShape.nullable(),
          execution: executionShape.nullable(),
          busy: z.boolean(),
        }),
      ),
    }),
    failures: [],
  }),
  operation({
    ...query,
    name: "project_status",
    subject: subjects.query("project", "status"),
    sentence: "Tells a project's cursor, views, execution, worker, tabs, last operations, what is unknown, and memory.",
    request: z.strictObject({ workspaceId }),
    response: projectStatus,
    failures: [],
  }),
  operation({
    ...control,
    name: "project_close",
    subject: subjects.control("project_close"),
    sentence:
      "Closes a project that is not busy: its state is saved, its pages are closed; project_open brings it back.",
    request: z.strictObject({ workspaceId: token.describe("The project's name.") }),
    response: z.object({
      workspaceId: z.string(),
      state: z.enum(["closed"]),
      /** False: what was saved last stands. */
      saved: z.boolean(),
      reason: z.string().optional(),
    }),
    failures: ["MCP_PROJECT_BUSY"],
  }),
  operation({
    ...query,
    name: "project_memory_get",
    tool: { name: "project_memory", action: "get" },
    subject: subjects.query("project", "memory_get"),
    sentence: "Reads the project's notes, which outlive any conversation.",
    request: z.strictObject({ workspaceId, key: memoryKey.optional().describe("Only this note.") }),
    response: memoryResult,
    failures: [],
  }),
  operation({
    ...control,
    name: "project_memory_set",
    tool: { name: "project_memory", action: "set" },
    subject: subjects.control("project_memory_set"),
    sentence: "Writes a note.",
    request: z.strictObject({ workspaceId, key: memoryKey, value: z.unknown().describe("Any JSON value.") }),
    response: memoryResult,
    failures: [],
  }),
  operation({
    ...control,
    name: "project_memory_delete",
    tool: { name: "project_memory", action: "delete" },
    subject: subjects.control("project_memory_delete"),
    sentence: "Deletes a note.",
    request: z.strictObject({ workspaceId, key: memoryKey }),
    response: memoryResult,
    failures: [],
  }),
] as const;

export const defaultProfile: Profile = { profileId: DEFAULT_PROFILE };
