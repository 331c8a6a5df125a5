import { decided, moved, refused } from "./decision.js";
import { end, withCut } from "./executions.js";
import type { Decision, InputOf } from "./inputs.js";
import type { Execution, ProjectState } from "./state.js";

/**
 * Stops the execution that holds the project, if it is the one that was named.
 * Its queued operations are discarded here and now; the first may be under way, which only the worker knows.
 */
export function stop(state: ProjectState, input: InputOf<"stop">): Decision {
  const wrong = mismatch(state, input);
  if (wrong) return wrong;
  const current = state.execution;
  if (!current) return stopEnded(state, input);
  const [first, ...waiting] = state.pending;
  const execution = withCut({ ...current, state: "stopping" }, { interrupted: null, discarded: waiting.length });
  const next = { ...state, execution, pending: first ? [first] : [], generation: state.generation + 1 };
  const abort = { effect: "abort", executionId: current.id, discarded: waiting } as const;
  if (first) return decided(next, [abort, moved(execution)], { reply: "execution", execution });
  const ended = end(next, { ...execution, state: "stopped", endedAt: input.at });
  return decided(ended.next, [abort, ...ended.effects], ended.reply);
}

/** Asked for again while it goes on: the first stop stands, the worker is told once more. */
export function stopAgain(state: ProjectState, input: InputOf<"stop">): Decision {
  const wrong = mismatch(state, input);
  if (wrong || !state.execution) return wrong ?? stopEnded(state, input);
  const abort = { effect: "abort", executionId: state.execution.id, discarded: [] } as const;
  return decided(state, [abort], { reply: "execution", execution: state.execution });
}

/** Nothing holds the project: the execution ended before, or there never was one. */
export function stopEnded(state: ProjectState, input: InputOf<"stop">): Decision {
  const ended = state.endedExecutions.find((execution) => execution.id === input.executionId);
  if (!ended) return refused(state, "MCP_TASK_NOT_FOUND", "", { taskId: input.executionId });
  if (ended.profileId !== input.profileId) return wrongField(state, "profileId", input.profileId, ended.profileId);
  return decided(state, [], { reply: "execution", execution: ended });
}

/** The worker answered: what it had under way ends by itself, or there was nothing, and the first was never begun. */
export function stopSeen(state: ProjectState, input: InputOf<"stop_seen">): Decision {
  const current = state.execution;
  if (!current || current.id !== input.executionId) return decided(state);
  const first = state.pending[0];
  if (input.interrupted && first) {
    const cut = { interrupted: input.interrupted, discarded: current.cut?.discarded ?? 0 };
    const execution = withCut(current, cut);
    return decided({ ...state, execution }, [], { reply: "execution", execution });
  }
  const cut = {
    interrupted: current.cut?.interrupted ?? null,
    discarded: (current.cut?.discarded ?? 0) + (first ? 1 : 0),
  };
  return end({ ...state, pending: [] }, stopped(withCut(current, cut), input.at));
}

/** The end came before the worker's answer was heard: it is the answer. */
export function stopSeenLate(state: ProjectState, input: InputOf<"stop_seen">): Decision {
  const ended = state.endedExecutions.find((execution) => execution.id === input.executionId);
  return decided(state, [], ended ? { reply: "execution", execution: ended } : { reply: "done" });
}

/** The operation that was cut has ended, so the execution has. */
export function stopped(execution: Execution, at: string): Execution {
  return { ...execution, state: "stopped", endedAt: at };
}

function mismatch(state: ProjectState, input: InputOf<"stop">): Decision | null {
  const current = state.execution;
  if (!current) return null;
  if (current.id === input.executionId) {
    return current.profileId === input.profileId
      ? null
      : wrongField(state, "profileId", input.profileId, current.profileId);
  }
  const ended = state.endedExecutions.some((execution) => execution.id === input.executionId);
  return ended ? stopEnded(state, input) : wrongField(state, "taskId", input.executionId, current.id);
}

function wrongField(state: ProjectState, field: string, given: string, current: string): Decision {
  return refused(
    state,
    "MCP_TASK_MISMATCH",
    `The ${field} given is not the current execution's; nothing was touched.`,
    { field, given, current },
  );
}
