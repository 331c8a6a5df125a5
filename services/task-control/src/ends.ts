import type { Bucket } from "@holdfast/bus";
import type { LedgerEntry } from "@holdfast/protocol";
import type { EndSeen } from "./core/inputs.js";
import type { Execution } from "./core/state.js";

/** Lets a stop's answer wait for the end that a report brings to this replica. */
export interface Ends {
  /** The execution as it ended, or null when `waitMs` are over. */
  readonly of: (executionId: string, waitMs: number) => Promise<Execution | null>;
  readonly seen: (execution: Execution) => void;
}

export function openEnds(): Ends {
  const waiting = new Map<string, (execution: Execution) => void>();
  return {
    of: (executionId, waitMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => {
          waiting.delete(executionId);
          resolve(null);
        }, waitMs);
        waiting.set(executionId, (execution) => {
          clearTimeout(timer);
          waiting.delete(executionId);
          resolve(execution);
        });
      }),
    seen: (execution) => waiting.get(execution.id)?.(execution),
  };
}

/** The end that an entry tells, with where it took the cursor. */
export function endIn({ operationId, operation, taskId, tabId, outcome, cursor }: LedgerEntry): EndSeen {
  return { operationId, operation, taskId, tabId, outcome, ...(cursor === undefined ? {} : { cursor }) };
}

/** How an operation ended, as its worker wrote it down; null while it has not. */
export async function endInLedger(ledger: Bucket<LedgerEntry>, key: string): Promise<EndSeen | null> {
  const entry = await ledger.get(key);
  if (!entry || entry.value.outcome === "running") return null;
  return endIn(entry.value);
}
