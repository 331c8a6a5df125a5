import { doubtsOf, isUnknown, otherProfile, unknownOf } from "./admission.js";
import { cursorMoved, decided, holder, moved, refused, tell } from "./decision.js";
import type { Decision, InputOf } from "./inputs.js";
import { type Cut, ENDED_MAX, type Execution, type ProjectState } from "./state.js";

export function start(state: ProjectState, input: InputOf<"start">): Decision {
  const again = startedBefore(state, input);
  if (again) return again;
  const unknown = otherProfile(state, input.profileId);
  if (unknown) return unknown;
  const { kind, id, profileId, goal, owner, newTab } = input;
  const execution: Execution = {
    kind,
    id,
    profileId,
    goal,
    owner,
    newTab,
    state: "running",
    since: input.at,
    endedAt: null,
    result: null,
    cut: null,
  };
  // Work of one profile never begins in a tab of another: with no tab of its own yet, its first navigation opens one.
  const stays = state.cursor?.profileId === profileId;
  const next = { ...state, execution, cursor: stays ? state.cursor : null };
  return decided(next, [...cursorMoved(state, next), moved(execution)], { reply: "execution", execution });
}

/** The same task id again is the same task: a client that lost the answer may ask once more. */
export function startHeld(state: ProjectState, input: InputOf<"start">): Decision {
  return startedBefore(state, input) ?? refused(state, "MCP_PROJECT_BUSY", "", holder(state));
}

export function finish(state: ProjectState, input: InputOf<"finish">): Decision {
  const current = state.execution;
  if (!current || current.id !== input.taskId) return notCurrent(state, input.taskId);
  if (state.pending.length > 0) {
    const told = `${state.pending.length} of its operations are queued or under way: wait for them, or stop the task.`;
    return refused(state, "MCP_PROJECT_BUSY", told, { pending: state.pending.map((op) => op.operationId) });
  }
  return end(state, { ...current, state: input.state, endedAt: input.at, result: input.result });
}

/** The stop goes on, and ends the task itself; what ended before is told as it ended. */
export function finishStopping(state: ProjectState, input: InputOf<"finish">): Decision {
  return state.execution?.id === input.taskId
    ? refused(state, "MCP_PROJECT_BUSY", "", holder(state))
    : notCurrent(state, input.taskId);
}

/** A task that ended is told as it ended; ending it again changes nothing. */
export function notCurrent(state: ProjectState, taskId: string): Decision {
  const ended = state.endedExecutions.find((execution) => execution.id === taskId);
  if (ended) return decided(state, [], { reply: "execution", execution: ended });
  if (state.execution) {
    return refused(state, "MCP_TASK_MISMATCH", "", { field: "taskId", given: taskId, current: state.execution.id });
  }
  return refused(state, "MCP_TASK_NOT_FOUND", "", { taskId });
}

export function finishAbsent(state: ProjectState, input: InputOf<"finish">): Decision {
  return notCurrent(state, input.taskId);
}

/** What somebody found of an operation whose end was not seen: one of the task that stands because of it, of a task that is over, or of none. */
export function resolve(state: ProjectState, input: InputOf<"resolve">): Decision {
  const { taskId, operationId } = input;
  const doubted = state.ended.find((op) => op.operationId === operationId && isUnknown(op));
  if (doubted && doubted.taskId === taskId) return found(state, input);
  if (taskId !== null) {
    const current = state.execution;
    if (current?.id !== taskId) return notCurrent(state, taskId);
    // Somebody else may have said it before.
    if (current.state !== "needs_check") return decided(state, [], { reply: "execution", execution: current });
  } else if (doubted) {
    const details = { field: "taskId", given: null, current: doubted.taskId };
    return refused(state, "MCP_TASK_MISMATCH", "The operation is a task's: give its taskId.", details);
  }
  const told = `No operation ${operationId} waits for a verdict.`;
  return refused(state, "MCP_BAD_ARGUMENTS", told, { operationId, unknown: unknownOf(state) });
}

/** The outcome stays unknown for good: what somebody found is recorded beside it, as his. */
function found(state: ProjectState, { operationId, taskId, verdict, by = "", at }: InputOf<"resolve">): Decision {
  const ended = state.ended.map((op) =>
    op.operationId === operationId ? { ...op, verdict, verdictBy: by, verdictAt: at } : op,
  );
  const next = { ...state, ended };
  const resolved = tell({ fact: "operation.resolved", operationId, verdict, by });
  const execution = [state.execution, ...state.endedExecutions].find((known) => known && known.id === taskId);
  if (!execution) return decided(next, [resolved]);
  if (execution.state !== "needs_check" || doubtsOf(next).length > 0)
    return decided(next, [resolved], { reply: "execution", execution });
  const freed: Execution = { ...execution, state: "running" };
  return decided({ ...next, execution: freed }, [resolved, moved(freed)], { reply: "execution", execution: freed });
}

/** A run stands still until somebody decides. A task has its agent to decide, so it never stands. */
export function ask(state: ProjectState, input: InputOf<"ask">): Decision {
  const current = state.execution;
  if (!current || current.id !== input.executionId) return notCurrent(state, input.executionId);
  if (current.kind === "task") return refused(state, "MCP_BAD_ARGUMENTS", "A task waits for no decision.");
  return movedTo(state, { ...current, state: "waiting_for_decision" });
}

export function answered(state: ProjectState, input: InputOf<"answered">): Decision {
  const current = state.execution;
  if (!current || current.id !== input.executionId) return notCurrent(state, input.executionId);
  return movedTo(state, { ...current, state: "running" });
}

function movedTo(state: ProjectState, execution: Execution): Decision {
  return decided({ ...state, execution }, [moved(execution)], { reply: "execution", execution });
}

/** Ends the execution that holds the project, once, and remembers it. */
export function end(state: ProjectState, ended: Execution): Decision {
  const next = { ...state, execution: null, endedExecutions: [ended, ...state.endedExecutions].slice(0, ENDED_MAX) };
  return decided(next, [moved(ended)], { reply: "execution", execution: ended });
}

export function withCut(execution: Execution, cut: Cut): Execution {
  return { ...execution, cut };
}

function startedBefore(state: ProjectState, input: InputOf<"start">): Decision | null {
  const current = state.execution;
  if (current?.id === input.id) return decided(state, [], { reply: "execution", execution: current });
  const ended = state.endedExecutions.find((execution) => execution.id === input.id);
  return ended
    ? refused(state, "MCP_TASK_ENDED", `The task ${input.id} is ${ended.state}.`, { state: ended.state })
    : null;
}
