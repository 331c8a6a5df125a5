import { z } from "zod";
import { DEFAULT_PROFILE, token } from "../ids.js";
import { operation } from "../operation.js";
import { PROGRAM_STEPS_MAX, program, programStep, STEP_TIMEOUT_MS } from "../program.js";
import { programInfo, runShape } from "../run.js";
import { subjects } from "../subjects.js";
import { CHANGE_FAILURES, pageFields, pageResult, workspaceId } from "./common.js";
import { stopResult } from "./task.js";

/** Characters of a run's id: with the step's number behind it, it is an operation's id. */
export const RUN_ID_CHARS_MAX = 40;

const control = { lane: "control", owner: "task-control", answers: "state" } as const;
const query = { lane: "query", owner: "task-control", answers: "state" } as const;
const values = z.record(z.string(), z.string());
const runId = token.max(RUN_ID_CHARS_MAX);

export const programOperations = [
  operation({
    ...control,
    name: "program_save",
    subject: subjects.control("program_save"),
    sentence: "Saves a program, given as steps or made from a recording; saving it again makes a new version.",
    request: z.strictObject({
      workspaceId,
      programId: token.optional().describe("Its name; by default one is made."),
      program: z
        .unknown()
        .optional()
        .describe("The program: { title, params, secrets, steps }; see docs/program.schema.json."),
      fromRecording: token.optional().describe("Make it from this recording of the project."),
      only: z.enum(["all", "person"]).default("all").describe("Of a recording: all steps, or only a person's."),
    }),
    response: z.object({ info: programInfo, program }),
    failures: ["MCP_RECORDING_NOT_FOUND"],
  }),
  operation({
    ...query,
    name: "program_list",
    subject: subjects.query("program", "list"),
    sentence: "Lists the project's programs.",
    request: z.strictObject({ workspaceId }),
    response: z.object({ workspaceId: z.string(), programs: z.array(programInfo) }),
    failures: [],
  }),
  operation({
    ...query,
    name: "program_get",
    subject: subjects.query("program", "get"),
    sentence: "Reads a program.",
    request: z.strictObject({ workspaceId, programId: token }),
    response: z.object({ info: programInfo, program }),
    failures: ["MCP_PROGRAM_NOT_FOUND"],
  }),
  operation({
    ...query,
    name: "program_export",
    subject: subjects.query("program", "export"),
    sentence: "Writes a program as a Playwright test that runs without Holdfast.",
    request: z.strictObject({ workspaceId, programId: token }),
    response: z.object({ programId: z.string(), language: z.literal("typescript"), text: z.string() }),
    failures: ["MCP_PROGRAM_NOT_FOUND"],
  }),
  operation({
    ...control,
    name: "program_run",
    subject: subjects.control("program_run"),
    sentence: "Runs a program: it holds the project like a task, needs no model and no client, and stops by its runId.",
    secrets: ["secrets"],
    request: z.strictObject({
      workspaceId,
      profileId: token.default(DEFAULT_PROFILE),
      programId: token,
      from: token.optional().describe("The project that keeps the program; by default the one it runs in."),
      params: values.default({}).describe("Parameters by name; those not given take their default."),
      secrets: values
        .default({})
        .describe("Secrets by name. They are kept in memory while the run lives, and never stored."),
      runId: runId.optional().describe("Your own id for the run; asking again with it gives the same run."),
    }),
    response: runShape,
    failures: [
      "MCP_PROGRAM_NOT_FOUND",
      "MCP_PROJECT_BUSY",
      "MCP_PROFILE_NOT_FOUND",
      "MCP_TASK_ENDED",
      "MCP_TASK_NEEDS_CHECK",
    ],
  }),
  operation({
    ...query,
    name: "program_status",
    subject: subjects.query("program", "status"),
    sentence: "Tells where a run stands: its step, what each step came to, and what it waits for.",
    request: z.strictObject({ workspaceId, runId: runId.optional().describe("By default the project's last run.") }),
    response: runShape,
    failures: ["MCP_TASK_NOT_FOUND"],
  }),
  operation({
    ...control,
    name: "program_resume",
    subject: subjects.control("program_resume"),
    sentence: "Decides how a run that waits goes on: try again, skip the step, replace it, or give the value it lacks.",
    secrets: ["secrets"],
    request: z.strictObject({
      workspaceId,
      runId,
      decision: z
        .enum(["retry", "skip", "replace", "value"])
        .describe("Try the step again, leave it out, do another instead, or try it with another value."),
      step: z.unknown().optional().describe("For replace: the step to do instead, as it stands in a program."),
      params: values.default({}).describe("For value: parameters by name."),
      secrets: values.default({}).describe("For value: secrets by name."),
    }),
    response: runShape,
    failures: ["MCP_TASK_NOT_FOUND", "MCP_TASK_MISMATCH", "MCP_TASK_ENDED"],
  }),
  operation({
    ...control,
    name: "program_stop",
    subject: subjects.control("program_stop"),
    sentence: "Stops exactly one run, at once, as task_stop stops a task; what a site already took in is not undone.",
    request: z.strictObject({
      workspaceId: token.describe("The project; must match."),
      profileId: token.describe("The run's profile; must match."),
      runId: token.describe("The run; must match."),
    }),
    response: stopResult,
    failures: ["MCP_TASK_MISMATCH", "MCP_TASK_NOT_FOUND"],
  }),
] as const;

/** One step of a run, as task-control queues it: no tool and no command, for only a run may take one. */
export const stepOperations = [
  operation({
    name: "program_step",
    lane: "mutation",
    subject: subjects.mutation(),
    owner: "browser-worker",
    answers: "page",
    sentence: "Does one step of a run.",
    timeoutMs: STEP_TIMEOUT_MS,
    selectsTab: true,
    despiteDialog: true,
    secrets: ["step"],
    request: z.strictObject({ ...pageFields, step: programStep, place: z.int().min(0).max(PROGRAM_STEPS_MAX) }),
    response: pageResult,
    failures: [...CHANGE_FAILURES],
  }),
] as const;
