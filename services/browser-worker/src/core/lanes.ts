import type { Admitted, LedgerEntry } from "@holdfast/protocol";

/** What is known of a project when one of its mutations is handed out. */
export interface Lane {
  /** What was queued at an older generation was discarded by a stop. */
  readonly generation: number;
  /** Executions that were stopped: nothing of theirs is begun. */
  readonly stopped: Pick<ReadonlySet<string>, "has">;
  /** Operations that were cancelled before they were begun. */
  readonly cancelled: Pick<ReadonlySet<string>, "has">;
}

export type Handling =
  | "run"
  /** A stop came first: it was never begun. */
  | "discard"
  /** It was cancelled: it was never begun, and its execution goes on. */
  | "cancel"
  /** It waited too long: it was never begun. */
  | "expire"
  /** It ended before, and only its acknowledgement was lost. */
  | "acknowledge"
  /** It was begun and not seen to end. It is never run again. */
  | "unknown";

/**
 * What to do with a mutation that is handed out.
 * @param entry the ledger's, null if it was never begun
 * @param now ms since the epoch
 */
export function handlingOf(work: Admitted, entry: LedgerEntry | null, lane: Lane, now: number): Handling {
  if (entry) return entry.outcome === "running" ? "unknown" : "acknowledge";
  if (work.generation < lane.generation) return "discard";
  if (work.taskId !== null && lane.stopped.has(work.taskId)) return "discard";
  if (lane.cancelled.has(work.operationId)) return "cancel";
  return work.expiresAt < now ? "expire" : "run";
}
