import type { MayBegin } from "@holdfast/protocol";
import type { ProjectState } from "./state.js";

/**
 * Whether an operation that waited in the queue may be begun now. It was admitted once; since then a stop may have discarded
 * it, or the one before it may have been lost, and nothing is begun on top of what nobody knows the end of.
 */
export function mayBegin(state: ProjectState, operationId: string): MayBegin {
  if (!state.pending.some((op) => op.operationId === operationId)) return "drop";
  if (state.execution?.state === "stopping") return "drop";
  return state.execution?.state === "needs_check" ? "wait" : "go";
}
