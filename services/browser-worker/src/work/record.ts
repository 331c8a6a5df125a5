import {
  type Admitted,
  type Answer,
  argumentsTold,
  type HistoryEntry,
  operationNamed,
  withoutUserInfo,
} from "@holdfast/protocol";

/** How an operation ended, for the record. */
export interface Ending {
  readonly outcome: HistoryEntry["outcome"];
  readonly tabId: string | null;
  readonly answer: Answer | null;
  /** Null if it was never begun, or its end was not seen. */
  readonly durationMs: number | null;
}

/** An operation as the record keeps it: secrets are masked here, before anything leaves the process. */
export function recordOf(work: Admitted, { outcome, tabId, answer, durationMs }: Ending): HistoryEntry {
  const target = answer?.identity.target ?? null;
  return {
    at: new Date().toISOString(),
    operationId: work.operationId,
    operation: work.operation,
    caller: work.caller,
    taskId: work.taskId,
    profileId: target?.profileId ?? work.profileId,
    tabId: target?.tabId ?? tabId,
    url: target ? withoutUserInfo(target.url) : null,
    arguments: argumentsTold(operationNamed(work.operation), work.request),
    outcome,
    code: answer && !answer.ok ? answer.failure.code : null,
    durationMs,
  };
}
