import { type Fact, type FailureCode, failure } from "@holdfast/protocol";
import type { Decision, Effect, Reply } from "./inputs.js";
import type { Execution, ProjectState } from "./state.js";

const DONE: Reply = { reply: "done" };

export function decided(next: ProjectState, effects: readonly Effect[] = [], reply: Reply = DONE): Decision {
  return { next, effects, reply };
}

/** Nothing changes; the asker is told why. */
export function refused(
  state: ProjectState,
  code: FailureCode,
  message = "",
  details: Record<string, unknown> = {},
): Decision {
  const named = { workspaceId: state.workspaceId, ...details };
  return { next: state, effects: [], reply: { reply: "refused", failure: failure(code, message, named) } };
}

export function tell(fact: Fact): Effect {
  return { effect: "tell", fact };
}

export function moved(execution: Execution): Effect {
  const { kind, id, profileId, state } = execution;
  return tell({ fact: "execution.moved", kind, id, profileId, state });
}

/** What holds the project, for the details of a refusal. */
export function holder(state: ProjectState): Record<string, unknown> {
  if (state.execution) {
    const { kind, id, profileId, since, owner } = state.execution;
    return { holder: { kind, id, profileId, state: state.execution.state, since, owner } };
  }
  const first = state.pending[0];
  return first
    ? { holder: { kind: "operation", id: first.operationId, operation: first.operation, since: first.at } }
    : {};
}

export function cursorOf(state: ProjectState): { workspaceId: string; profileId: string; tabId: string } | null {
  return state.cursor ? { workspaceId: state.workspaceId, ...state.cursor } : null;
}

/** Tells that the cursor moved, if it did. */
export function cursorMoved(before: ProjectState, after: ProjectState): Effect[] {
  const [from, to] = [before.cursor, after.cursor];
  if (from?.tabId === to?.tabId && from?.profileId === to?.profileId) return [];
  return [tell({ fact: "cursor.moved", from: cursorOf(before), to: cursorOf(after) })];
}
