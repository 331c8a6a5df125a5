import { addHistory, type Bus, readHistory } from "@holdfast/bus";
import {
  type Answer,
  argumentsTold,
  type Call,
  type Handlers,
  type HistoryEntry,
  type HistoryRecord,
  operationNamed,
  type recordOperations,
  withoutUserInfo,
} from "@holdfast/protocol";
import type { Logger } from "pino";
import { afterwards } from "./afterwards.js";
import type { Parts } from "./parts.js";

/** The record of what was done in a project, for those who ask later. It is written beside the work, never on its way. */
export interface History {
  /** An operation that a worker has run, as the worker told it. */
  readonly ended: (workspaceId: string, entry: HistoryEntry) => void;
  /** What task-control has answered itself: an order that it took, or anything that it refused. */
  readonly answered: (workspaceId: string, asked: Call, answer: Answer, tookMs: number) => void;
}

/** Looking at a project is not done to it; and a name that no project has gets no record. */
const NOT_RECORDED = /^view_/;

export function openHistory(bus: Bus, log: Logger): History {
  const lost = (thrown: unknown): void => log.error({ err: thrown }, "an operation is not in the record");
  const add = (workspaceId: string, entry: HistoryEntry): void =>
    afterwards(() => addHistory(bus, workspaceId, entry).catch(lost));
  return {
    ended: add,
    answered: (workspaceId, asked, answer, tookMs) => {
      if (NOT_RECORDED.test(asked.operation)) return;
      if (!answer.ok && answer.failure.code === "MCP_PROJECT_NOT_FOUND") return;
      if (answer.identity.replayed) return;
      add(workspaceId, entryOf(asked, answer, tookMs));
    },
  };
}

function entryOf(asked: Call, answer: Answer, tookMs: number): HistoryEntry {
  const { target } = answer.identity;
  const op = operationNamed(asked.operation);
  // An order may be about an operation: then that is an argument, and the order itself has an id of its own.
  const about = op.lane === "control" ? asked.request.operationId : undefined;
  const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
  return {
    at: new Date().toISOString(),
    operationId: about === undefined ? asked.operationId : `c_${crypto.randomUUID()}`,
    operation: asked.operation,
    caller: asked.caller,
    taskId: text(asked.request.taskId),
    profileId: target?.profileId ?? text(asked.request.profileId),
    tabId: target?.tabId ?? text(asked.request.tabId),
    url: target ? withoutUserInfo(target.url) : null,
    arguments: { ...argumentsTold(op, asked.request), ...(about === undefined ? {} : { operationId: about }) },
    outcome: answer.ok ? "done" : "refused",
    code: answer.ok ? null : answer.failure.code,
    durationMs: answer.ok ? tookMs : null,
  };
}

type Reader = Pick<Handlers<typeof recordOperations, unknown>, "project_history">;

export function historyHandlers(parts: Pick<Parts, "bus" | "store">): Reader {
  return {
    project_history: async ({ workspaceId, before, limit, ...wanted }) => {
      await parts.store.get(workspaceId);
      const all = (await readHistory(parts.bus, workspaceId)).reverse();
      const found = all.filter((each) => (before === undefined || each.sequence < before) && matches(each, wanted));
      const operations = found.slice(0, limit);
      const last = operations.at(-1);
      return { workspaceId, operations, next: found.length > limit && last ? last.sequence : null };
    },
  };
}

interface Wanted {
  readonly taskId?: string | undefined;
  readonly operation?: string | undefined;
  readonly outcome?: string | undefined;
}

function matches(record: HistoryRecord, { taskId, operation, outcome }: Wanted): boolean {
  const is = (value: string | null, asked: string | undefined): boolean => asked === undefined || value === asked;
  return is(record.taskId, taskId) && is(record.operation, operation) && is(record.outcome, outcome);
}
