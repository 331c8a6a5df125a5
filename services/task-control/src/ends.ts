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
