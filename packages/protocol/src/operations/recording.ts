import { z } from "zod";
import { token } from "../ids.js";
import { operation } from "../operation.js";
import { recordedStep, recordingHeader } from "../recorded.js";
import { subjects } from "../subjects.js";
import { workspaceId } from "./common.js";

/** Steps in one answer: about as much as a client takes at once. */
export const STEPS_PER_READ_MAX = 500;

const control = { lane: "control", owner: "task-control", answers: "state" } as const;
const query = { lane: "query", owner: "task-control", answers: "state" } as const;
const recordingId = token.optional().describe("The recording; by default the one that goes on, else the last one.");

export const recordingOperations = [
  operation({
    ...control,
    name: "recording_start",
    subject: subjects.control("recording_start"),
    sentence: "Records what a person does in the project's tabs, those open already included; one recording at a time.",
    request: z.strictObject({
      workspaceId,
      recordingId: token.optional().describe("Your own id for it; asking again with it gives the same recording."),
      name: z.string().max(200).default("").describe("What it is, for people."),
    }),
    response: recordingHeader,
    failures: ["MCP_RECORDING_RUNNING", "MCP_NO_WORKER"],
  }),
  operation({
    ...query,
    name: "recording_status",
    subject: subjects.query("recording", "status"),
    sentence: "Tells where a recording stands: how many steps, and what it covers.",
    request: z.strictObject({ workspaceId, recordingId }),
    response: recordingHeader,
    failures: ["MCP_RECORDING_NOT_FOUND"],
  }),
  operation({
    ...control,
    name: "recording_stop",
    subject: subjects.control("recording_stop"),
    sentence: "Ends a recording, and says what it covers and where it has gaps.",
    request: z.strictObject({ workspaceId, recordingId }),
    response: recordingHeader,
    failures: ["MCP_RECORDING_NOT_FOUND"],
  }),
  operation({
    ...query,
    name: "recording_get",
    subject: subjects.query("recording", "get"),
    sentence: "Reads the steps of a recording, in order.",
    request: z.strictObject({
      workspaceId,
      recordingId,
      from: z.int().min(0).default(0).describe("The first step to read; they are counted from 0."),
      limit: z.int().min(1).max(STEPS_PER_READ_MAX).default(STEPS_PER_READ_MAX).describe("How many steps to give."),
    }),
    response: z.object({
      recording: recordingHeader,
      from: z.int(),
      steps: z.array(recordedStep),
      /** Where to read on; null at the end. */
      next: z.int().nullable(),
    }),
    failures: ["MCP_RECORDING_NOT_FOUND"],
  }),
  operation({
    ...query,
    name: "recording_list",
    subject: subjects.query("recording", "list"),
    sentence: "Lists the project's recordings, newest first.",
    request: z.strictObject({ workspaceId }),
    response: z.object({ workspaceId: z.string(), recordings: z.array(recordingHeader) }),
    failures: [],
  }),
] as const;
