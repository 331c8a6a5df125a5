import { doubtsOf, PENDING_MAX } from "./admission.js";
import { ENDED_MAX, type ProjectState } from "./state.js";

const ENDS: readonly string[] = ["finished", "failed", "stopped", "lost"];

/** What must hold of every state, with the sentence that says so. On in tests and in production alike. */
export const INVARIANTS: readonly { readonly name: string; readonly holds: (state: ProjectState) => boolean }[] = [
  {
    name: "an execution that holds a project has not ended",
    holds: (s) => !s.execution || !ENDS.includes(s.execution.state),
  },
  {
    name: "a remembered execution has ended",
    holds: (s) => s.endedExecutions.every((e) => ENDS.includes(e.state) && e.endedAt !== null),
  },
  { name: "an execution ends once", holds: (s) => unique(s.endedExecutions.map((e) => e.id)) },
  {
    name: "an execution does not both hold and end",
    holds: (s) => !s.endedExecutions.some((e) => e.id === s.execution?.id),
  },
  { name: "no operation is pending twice", holds: (s) => unique(s.pending.map((op) => op.operationId)) },
  {
    name: "what is pending belongs to the execution that holds the project",
    holds: (s) => !s.execution || s.pending.every((op) => op.taskId === s.execution?.id),
  },
  {
    name: "nothing is pending for a task that holds nothing",
    holds: (s) => s.execution !== null || s.pending.every((op) => op.taskId === null),
  },
  {
    name: "while stopping one operation at the most may be under way",
    holds: (s) => s.execution?.state !== "stopping" || s.pending.length <= 1,
  },
  {
    name: "an execution that needs a check has an operation that is in doubt",
    holds: (s) => s.execution?.state !== "needs_check" || doubtsOf(s).length > 0,
  },
  {
    name: "a task waits for no decision: it has its agent",
    holds: (s) => s.execution?.state !== "waiting_for_decision" || s.execution.kind !== "task",
  },
  {
    name: "a project that asks to quit, or closes, is not busy",
    holds: (s) => !s.quit || (s.execution === null && s.pending.length === 0),
  },
  { name: "a closed project is not busy", holds: (s) => s.open || (s.execution === null && s.pending.length === 0) },
  {
    name: "a cursor is in a profile of the project",
    holds: (s) => !s.cursor || s.profiles.some((p) => p.profileId === s.cursor?.profileId),
  },
  {
    name: "every list is bounded",
    holds: (s) =>
      s.pending.length <= PENDING_MAX && s.ended.length <= ENDED_MAX && s.endedExecutions.length <= ENDED_MAX,
  },
];

/** The names of the invariants that do not hold; none, as it must be. */
export function broken(state: ProjectState): string[] {
  return INVARIANTS.filter(({ holds }) => !holds(state)).map(({ name }) => name);
}

function unique(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}
