import { isUnknown } from "./admission.js";
import { cursorMoved, decided, moved, tell } from "./decision.js";
import { end } from "./executions.js";
import type { Decision, Effect, EndSeen, Input, InputOf } from "./inputs.js";
import { ENDED_MAX, type Ended, type ProjectState } from "./state.js";
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

/**
 * Whether an input may be stored a little later, together with the next: the end of the one operation that is pending, whose
 * asker was told already, and that neither a stop nor a quit nor a verdict waits for. One that a stop has discarded is not
 * pending any more, and the next of its queue waits until it is told.
 */
export function mayWait({ pending, quit, execution }: ProjectState, input: Input): boolean {
  if (input.input !== "ended" || input.cursor !== undefined || input.outcome === "unknown") return false;
  if (pending.length !== 1 || pending[0]?.operationId !== input.operationId) return false;
  return quit === null && (execution === null || execution.state === "running");
}

/** The cursor went back to where its tab came from. */
export function cursorWent(state: ProjectState, input: InputOf<"cursor">): Decision {
  const next = { ...state, cursor: input.cursor };
  return decided(next, cursorMoved(state, next));
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
    ended: remembered(state, record),
  };
  return { next, effects: [...cursorMoved(state, next), endedFact(input)] };
}

/** The oldest is forgotten, but not what its execution waits for a verdict on. */
function remembered(state: ProjectState, record: Ended): Ended[] {
  const all = [record, ...state.ended];
  if (all.length <= ENDED_MAX) return all;
  const oldest = all.findLastIndex((op) => !isUnknown(op) || op.taskId !== state.execution?.id);
  return all.filter((_op, place) => place !== (oldest < 0 ? ENDED_MAX : oldest));
}

function endedFact({ operationId, operation, taskId, tabId, outcome }: EndSeen): Effect {
  return tell({ fact: "operation.ended", operationId, operation, taskId, tabId, outcome });
}
