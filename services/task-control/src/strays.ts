import { ledgerKey, queueLength } from "@holdfast/bus";
import { type Answer, type Failure, failure, type LedgerEntry, noIdentity } from "@holdfast/protocol";
import type { Pending, ProjectState } from "./core/state.js";
import { endIn } from "./ends.js";
import { STRAY_AFTER_MS } from "./limits.js";
import type { Parts } from "./parts.js";

/**
 * Ends what is pending in the state and in no queue: whoever admitted it died before he had queued it, or whoever ran it before
 * he had told its end, or a power loss took one of the two. The ledger decides which, and nobody else can after it was written.
 */
export async function endStrays(parts: Parts, state: ProjectState): Promise<void> {
  const old = state.pending.filter((op) => Date.now() - Date.parse(op.at) > STRAY_AFTER_MS);
  if (old.length === 0 || (await queueLength(parts.bus, state.workspaceId)) > 0) return;
  for (const op of old) {
    const entry = await settle(parts, state.workspaceId, op);
    if (!entry) continue;
    const decision = await parts.store.apply(state.workspaceId, { input: "ended", ...endIn(entry) });
    parts.effects.publish(state.workspaceId, decision);
  }
}

/** The entry of an operation that has ended, or is ended here; null for one that may still be under way. */
async function settle(parts: Parts, workspaceId: string, op: Pending): Promise<LedgerEntry | null> {
  const key = ledgerKey(workspaceId, op.operationId);
  const found = await parts.ledger.get(key);
  if (!found) {
    const never = ended(
      op,
      "refused",
      failure("MCP_BUS_DOWN", NEVER_QUEUED, { operationId: op.operationId, begun: false }),
    );
    return (await parts.ledger.create(key, never)) === null ? null : never;
  }
  if (found.value.outcome !== "running") return found.value;
  // Whoever began it may still be at it. Only a later holder can say for certain that he is not.
  const holder = parts.workers.holder(workspaceId);
  if (!holder || holder.epoch <= found.value.epoch) return null;
  const told = failure("MCP_OUTCOME_UNKNOWN", "", {
    operationId: op.operationId,
    operation: op.operation,
    tabId: op.tabId,
  });
  const lost = { ...found.value, outcome: "unknown" as const, answer: answerOf(op, told) };
  return (await parts.ledger.update(key, lost, found.revision)) === null ? null : lost;
}

const NEVER_QUEUED = "The operation was admitted and never reached the queue; it was not begun. Ask for it again.";

/** It was ended as one that nobody can have begun: asked for again, it may be. */
export function wasNeverBegun({ outcome, answer }: LedgerEntry): boolean {
  return outcome === "refused" && answer?.ok === false && answer.failure.code === "MCP_BUS_DOWN";
}

/** What the ledger says of an operation that is ended without a worker. */
export function ended(op: Pending, outcome: "refused" | "stopped", told: Failure): LedgerEntry {
  const { operationId, operation, fingerprint, taskId, tabId } = op;
  const at = new Date().toISOString();
  return { operationId, operation, fingerprint, taskId, tabId, epoch: 0, outcome, at, answer: answerOf(op, told) };
}

function answerOf({ operationId }: Pending, told: Failure): Answer {
  return { ok: false, failure: told, identity: noIdentity(operationId) };
}
