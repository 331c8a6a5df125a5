import { doubtsOf, otherProfile, unknownOf } from "./admission.js";
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

export function resolve(state: ProjectState, input: InputOf<"resolve">): Decision {
  const current = state.execution;
  if (!current || current.id !== input.taskId) return notCurrent(state, input.taskId);
  if (!unknownOf(state).includes(input.operationId)) {
    const told = `No operation ${input.operationId} waits for a verdict.`;
    return refused(state, "MCP_BAD_ARGUMENTS", told, { operationId: input.operationId, unknown: unknownOf(state) });
  }
  // The outcome stays unknown for good: what somebody found is recorded beside it, as his.
  const ended = state.ended.map((op) =>
    op.operationId === input.operationId
      ? { ...op, verdict: input.verdict, verdictBy: input.by, verdictAt: input.at }
      : op,
  );
  const next = { ...state, ended };
  const execution: Execution = { ...current, state: doubtsOf(next).length > 0 ? "needs_check" : "running" };
  const { operationId, verdict, by = "" } = input;
  const resolved = tell({ fact: "operation.resolved", operationId, verdict, by });
  return decided({ ...next, execution }, [resolved, moved(execution)], { reply: "execution", execution });
}

export function resolveAbsent(state: ProjectState, input: InputOf<"resolve">): Decision {
  const current = state.execution;
  if (current?.id === input.taskId) return decided(state, [], { reply: "execution", execution: current });
  return notCurrent(state, input.taskId);
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
