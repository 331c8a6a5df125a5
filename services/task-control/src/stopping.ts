import { ledgerKey } from "@holdfast/bus";
import { failure, type StopAnswer } from "@holdfast/protocol";
import type { Interrupted } from "./core/inputs.js";
import type { Execution, Pending, ProjectState } from "./core/state.js";
import type { Parts } from "./parts.js";
import { ended } from "./strays.js";

/** What a stop came to: the execution as it stands then, and whether a worker has heard the order. */
export interface Stopping {
  readonly execution: Execution;
  readonly heard: boolean;
}

/**
 * Settles a stop by what the worker says, and where none says anything, by the ledger: an operation that the ledger has not
 * is written into it as stopped, and then nobody can begin it; one that was begun goes on being stopped until its end is known.
 */
export async function settleStop(
  parts: Parts,
  workspaceId: string,
  asked: Execution,
  answer: StopAnswer | null,
): Promise<Stopping> {
  const interrupted = answer?.interrupted ?? (await underWay(parts, workspaceId, asked.id));
  const seen = await parts.store.apply(workspaceId, { input: "stop_seen", executionId: asked.id, interrupted });
  parts.effects.publish(workspaceId, seen);
  return { execution: seen.reply.reply === "execution" ? seen.reply.execution : asked, heard: answer !== null };
}

/** No worker has heard that these were discarded, so the ledger is told: one that wakes up begins none of them. */
export async function forbid(parts: Parts, workspaceId: string, discarded: readonly Pending[]): Promise<void> {
  await Promise.all(discarded.map((op) => parts.ledger.create(ledgerKey(workspaceId, op.operationId), neverBegun(op))));
}

/** A stop that no worker has heard is ordered again, until one has, or the operation's end is known. */
export async function pursueStop(parts: Parts, { workspaceId, execution }: ProjectState): Promise<void> {
  if (execution?.state !== "stopping") return;
  await settleStop(parts, workspaceId, execution, await parts.orders.stop(workspaceId, execution.id));
}

/** The operation that was begun and whose end nobody has told; null if there is none. */
async function underWay(parts: Parts, workspaceId: string, executionId: string): Promise<Interrupted | null> {
  const state = await parts.store.get(workspaceId);
  const first = state.pending[0];
  if (state.execution?.id !== executionId || !first) return null;
  const key = ledgerKey(workspaceId, first.operationId);
  if ((await parts.ledger.create(key, neverBegun(first))) !== null) return null;
  // Where it has ended, that is its end, and the execution's.
  if (await parts.store.catchUp(workspaceId, state)) return null;
  return { operationId: first.operationId, outcome: "running" };
}

function neverBegun(op: Pending) {
  return ended(op, "stopped", failure("MCP_STOPPED", "It was discarded by a stop; it was not begun."));
}
