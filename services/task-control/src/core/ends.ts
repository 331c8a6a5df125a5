import { cursorOf, decided, moved, tell } from "./decision.js";
import { end } from "./executions.js";
import type { Decision, Effect, EndSeen, InputOf } from "./inputs.js";
import { ENDED_MAX, type ProjectState, type TabOfProfile } from "./state.js";
import { stopped } from "./stop.js";

/** An operation ended: it makes room, may have taken the cursor along, and is remembered. */
export function ended(state: ProjectState, input: InputOf<"ended">): Decision {
  // An end that was heard before, or of an operation that a stop has discarded.
  if (!state.pending.some((op) => op.operationId === input.operationId)) return decided(state);
  const { next, effects } = recorded(state, input);
  const execution = next.execution;
  if (input.outcome !== "unknown" || !execution || execution.id !== input.taskId) return decided(next, effects);
  const unsure = { ...execution, state: "needs_check" } as const;
  return decided({ ...next, execution: unsure }, [...effects, moved(unsure)]);
}

/** The same while a stop goes on: with its operation the execution ends. */
export function endedStopping(state: ProjectState, input: InputOf<"ended">): Decision {
  if (!state.pending.some((op) => op.operationId === input.operationId)) return decided(state);
  const { next, effects } = recorded(state, input);
  const execution = next.execution;
  if (!execution || next.pending.length > 0) return decided(next, effects);
  const interrupted = { operationId: input.operationId, outcome: input.outcome };
  const cut = { interrupted, discarded: execution.cut?.discarded ?? 0 };
  const over = end(next, stopped({ ...execution, cut }, input.at));
  return decided(over.next, [...effects, ...over.effects], over.reply);
}

function recorded(state: ProjectState, input: InputOf<"ended">): { next: ProjectState; effects: Effect[] } {
  const cursor = input.cursor === undefined ? state.cursor : input.cursor;
  const record = {
    operationId: input.operationId,
    operation: input.operation,
    taskId: input.taskId,
    tabId: input.tabId,
    outcome: input.outcome,
    at: input.at,
    verdict: null,
  };
  const next = {
    ...state,
    cursor,
    pending: state.pending.filter((op) => op.operationId !== input.operationId),
    ended: [record, ...state.ended].slice(0, ENDED_MAX),
  };
  return { next, effects: [...cursorMoved(state, next, cursor), endedFact(input)] };
}

function cursorMoved(before: ProjectState, after: ProjectState, to: TabOfProfile | null): Effect[] {
  if (before.cursor?.tabId === to?.tabId && before.cursor?.profileId === to?.profileId) return [];
  return [tell({ fact: "cursor.moved", from: cursorOf(before), to: cursorOf(after) })];
}

function endedFact({ operationId, operation, taskId, tabId, outcome }: EndSeen): Effect {
  return tell({ fact: "operation.ended", operationId, operation, taskId, tabId, outcome });
}
