import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Input } from "./core/inputs.js";
import type { Step } from "./core/replay.js";
import type { ProjectState } from "./core/state.js";

/** Told of each decision that stands. */
export type Decided = (before: ProjectState, inputs: readonly Input[], after: ProjectState) => void;

/**
 * Writes down what was decided, one line for each write of a project's state, for `replay.js`: with
 * `HOLDFAST_RECORD_INPUTS=FOLDER`. There are no arguments of calls in it, only their keyed fingerprints.
 */
export function recordInputs(folder: string | undefined): Decided | undefined {
  if (!folder) return undefined;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const last = new Map<string, string>();
  return (before, inputs, after) => {
    const { workspaceId } = before;
    const known = last.get(workspaceId) === JSON.stringify(before);
    const step: Step = { ...(known ? {} : { before }), inputs, after };
    last.set(workspaceId, JSON.stringify(after));
    appendFileSync(join(folder, `${workspaceId}-${process.pid}.jsonl`), `${JSON.stringify(step)}\n`, { mode: 0o600 });
  };
}
