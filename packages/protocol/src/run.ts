import { z } from "zod";
import { artifact } from "./operations/common.js";
import { executionState } from "./states.js";

/** Programs and runs as they are told. */

export const programInfo = z.object({
  programId: z.string(),
  workspaceId: z.string(),
  title: z.string(),
  /** Grows with every save; a run keeps the version it began with. */
  version: z.int(),
  savedAt: z.string(),
  steps: z.int(),
  params: z.array(z.string()),
  secrets: z.array(z.string()),
});
export type ProgramInfo = z.infer<typeof programInfo>;

/** One step that was tried. */
export const stepResult = z.object({
  step: z.int(),
  operationId: z.string(),
  outcome: z.enum(["done", "failed", "skipped", "unknown"]),
  at: z.string(),
  /** The locator that found the element. */
  locator: z.unknown().nullable(),
  code: z.string().nullable(),
});
export type StepResult = z.infer<typeof stepResult>;

/** What a run waits for, with all that helps to decide. */
export const runWaiting = z.object({
  since: z.string(),
  step: z.int(),
  /** `step_failed`, or a value that is not there. */
  why: z.enum(["step_failed", "outcome_unknown", "value_missing"]),
  message: z.string(),
  code: z.string().nullable(),
  /** What was tried: each locator, and how many elements it found. */
  tried: z.unknown().nullable(),
  /** The page as it was, as a tree and as a picture. */
  snapshot: z.string().nullable(),
  screenshot: artifact.nullable(),
  url: z.string().nullable(),
  /** The values that are needed. */
  missing: z.array(z.string()),
});
export type RunWaiting = z.infer<typeof runWaiting>;

export const runShape = z.object({
  runId: z.string(),
  workspaceId: z.string(),
  profileId: z.string(),
  programId: z.string(),
  version: z.int(),
  state: executionState,
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  /** The step that is next, or under way; as many as there are when all are done. */
  step: z.int(),
  steps: z.int(),
  /** The program's names of tabs, and the tabs they are. */
  tabs: z.record(z.string(), z.string()),
  results: z.array(stepResult),
  waiting: runWaiting.nullable(),
});
export type RunShape = z.infer<typeof runShape>;
