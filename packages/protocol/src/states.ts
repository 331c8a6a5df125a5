import { z } from "zod";

/** What holds a project. */
export const executionKind = z.enum(["task", "program", "notebook"]);
export type ExecutionKind = z.infer<typeof executionKind>;

/** States of an execution; the last four are ends. */
export const executionState = z.enum([
  "running",
  "stopping",
  "waiting_for_decision",
  "needs_check",
  "finished",
  "failed",
  "stopped",
  "lost",
]);
export type ExecutionState = z.infer<typeof executionState>;

/** Outcomes of an operation. `unknown`: it was begun and not seen to end. */
export const operationOutcome = z.enum(["queued", "running", "done", "failed", "refused", "stopped", "unknown"]);
export type OperationOutcome = z.infer<typeof operationOutcome>;

/** What somebody found who looked, of an operation whose end was not seen. */
export const verdict = z.enum(["done", "not_done", "unknown"]);
export type Verdict = z.infer<typeof verdict>;

/** States of a tab. A sleeping tab has no page; it wakes on use. */
export const tabState = z.enum(["loading", "ready", "sleeping", "crashed", "closed"]);
export type TabState = z.infer<typeof tabState>;

export const processState = z.enum(["starting", "running", "draining", "stopped", "failed"]);
export type ProcessState = z.infer<typeof processState>;

/**
 * What a tab that an operation opens does to the cursor.
 * report: nothing, the answer tells of it. follow: the cursor goes there once it can be acted on.
 * lazy: nothing, until the next action cannot find its element; then it is tried there, once, and the cursor goes along.
 */
export const newTabPolicy = z.enum(["report", "follow", "lazy"]);
export type NewTabPolicy = z.infer<typeof newTabPolicy>;
