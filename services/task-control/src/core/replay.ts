import { decide } from "./decide.js";
import type { Input } from "./inputs.js";
import type { ProjectState } from "./state.js";

/** Inputs that were decided together, on the state that was stored, and the state that was stored after them. */
export interface Step {
  /** Where it is not the state after the step before: the first one has it, and one that another replica came before. */
  readonly before?: ProjectState | undefined;
  readonly inputs: readonly Input[];
  readonly after: ProjectState;
}

export interface Difference {
  /** The place of the step. */
  readonly step: number;
  readonly why: string;
}

/** Decides a recorded history again. None that differs: the same inputs give the same states. */
export function replay(steps: readonly Step[]): Difference[] {
  const differences: Difference[] = [];
  let state: ProjectState | undefined;
  for (const [step, { before, inputs, after }] of steps.entries()) {
    const start: ProjectState | undefined = before ?? state;
    if (!start) return [...differences, { step, why: "It does not say which state it begins with." }];
    const next = inputs.reduce((at, input) => decide(at, input).next, start);
    if (textOf(next) !== textOf(after)) differences.push({ step, why: whyOf(next, after) });
    state = after;
  }
  return differences;
}

function whyOf(next: ProjectState, after: ProjectState): string {
  const names = [...new Set([...Object.keys(next), ...Object.keys(after)])] as (keyof ProjectState)[];
  const other = names.filter((name) => textOf(next[name]) !== textOf(after[name]));
  return other.map((name) => `${name} is ${textOf(next[name])} and was ${textOf(after[name])}`).join("; ");
}

/** The same text for the same value, in whatever order its fields were written; what is undefined is not there. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (inner === null || typeof inner !== "object" || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
