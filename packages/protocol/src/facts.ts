import { z } from "zod";
import { newTab } from "./identity.js";
import { cursorShape } from "./operations/project.js";
import { restoreReport } from "./operations/system.js";
import { executionKind, executionState, operationOutcome, verdict } from "./states.js";

/** What happened, kept in a stream and replayable by its sequence. Told after it was so, never before. */
export const fact = z.discriminatedUnion("fact", [
  z.object({ fact: z.literal("project.opened") }),
  z.object({ fact: z.literal("project.closed") }),
  z.object({ fact: z.literal("cursor.moved"), from: cursorShape.nullable(), to: cursorShape.nullable() }),
  z.object({ fact: z.literal("view.moved"), viewerId: z.string(), tabId: z.string().nullable() }),
  z.object({ fact: z.literal("tab.opened"), tab: newTab, cause: z.string().nullable() }),
  z.object({ fact: z.literal("tab.ready"), tabId: z.string(), url: z.string() }),
  z.object({ fact: z.literal("tab.closed"), tabId: z.string(), lastUrl: z.string() }),
  z.object({
    fact: z.literal("execution.moved"),
    kind: executionKind,
    id: z.string(),
    profileId: z.string(),
    state: executionState,
  }),
  z.object({
    fact: z.literal("operation.ended"),
    operationId: z.string(),
    operation: z.string(),
    taskId: z.string().nullable(),
    tabId: z.string().nullable(),
    outcome: operationOutcome,
  }),
  z.object({ fact: z.literal("recording.moved"), recordingId: z.string(), state: z.enum(["recording", "stopped"]) }),
  z.object({
    fact: z.literal("program.step"),
    runId: z.string(),
    step: z.int(),
    outcome: z.enum(["done", "failed", "skipped", "unknown"]),
  }),
  z.object({
    fact: z.literal("url.denied"),
    tabId: z.string().nullable(),
    /** Without its query: that may carry what is nobody else's business. */
    url: z.string(),
    rule: z.string(),
    operationId: z.string().nullable(),
  }),
  z.object({
    fact: z.literal("operation.resolved"),
    operationId: z.string(),
    verdict,
    by: z.string(),
  }),
  z.object({ fact: z.literal("project.restored"), report: restoreReport }),
  z.object({ fact: z.literal("system.closing") }),
]);
export type Fact = z.infer<typeof fact>;

/** A fact as it is stored: whose, when (ISO 8601), and its place in the stream once it is read. */
export interface FactRecord {
  readonly workspaceId: string;
  readonly at: string;
  readonly sequence: number;
  readonly fact: Fact;
}
