import { ledgerKey } from "@holdfast/bus";
import { type Handlers, HoldfastError, type StopResult, type taskOperations } from "@holdfast/protocol";
import type { Decision } from "./core/inputs.js";
import type { Execution } from "./core/state.js";
import { STOP_SETTLE_MS } from "./limits.js";
import type { Parts } from "./parts.js";
import { forbid, type Stopping, settleStop } from "./stopping.js";
import { executionIn, granted, taskTold } from "./told.js";

export function taskHandlers(parts: Parts): Handlers<typeof taskOperations, unknown> {
  const { store, effects } = parts;
  const decided = async (workspaceId: string, decision: Promise<Decision>) => {
    const stands = await decision;
    const execution = executionIn(stands);
    effects.publish(workspaceId, stands);
    return taskTold(stands.next, execution);
  };
  return {
    task_start: ({ workspaceId, profileId, goal, owner, taskId, newTab = null }) => {
      const id = taskId ?? `task_${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}`;
      return decided(
        workspaceId,
        store.apply(workspaceId, { input: "start", kind: "task", id, profileId, goal, owner, newTab }),
      );
    },
    task_status: async ({ workspaceId, taskId }) => {
      const state = await store.get(workspaceId);
      const known = [state.execution, ...state.endedExecutions];
      const found = known.find((execution) =>
        taskId === undefined ? execution === state.execution : execution?.id === taskId,
      );
      if (found) return taskTold(state, found);
      const told = taskId === undefined ? "No task holds the project." : "";
      throw new HoldfastError("MCP_TASK_NOT_FOUND", told, { workspaceId, taskId: taskId ?? null });
    },
    task_finish: ({ workspaceId, taskId, state, result }) =>
      decided(workspaceId, store.apply(workspaceId, { input: "finish", taskId, state, result: result ?? null })),
    task_stop: (named) =>
      stopExecution(parts, named.workspaceId, { profileId: named.profileId, executionId: named.taskId }),
    task_cancel: async ({ workspaceId, operationId }) => {
      const state = await store.get(workspaceId);
      const requested = state.pending.some((op) => op.operationId === operationId);
      // The worker ends it and tells the end like any other: there is nothing to decide.
      if (requested) await parts.orders.cancel(workspaceId, operationId);
      const entry = await parts.ledger.get(ledgerKey(workspaceId, operationId));
      return { requested, operationId, outcome: entry?.value.outcome ?? null };
    },
    task_resolve: async ({ workspaceId, taskId = null, operationId, verdict }, context) => {
      const input = { input: "resolve", taskId, operationId, verdict, by: callerIn(context) } as const;
      const stands = granted(await store.apply(workspaceId, input));
      effects.publish(workspaceId, stands);
      const { reply } = stands;
      const task = reply.reply === "execution" ? taskTold(stands.next, reply.execution) : null;
      return { workspaceId, operationId, verdict, task };
    },
  };
}

/** Who asks, as the service hands it on. */
function callerIn(context: unknown): string {
  const { caller } = context as { caller?: unknown };
  return typeof caller === "string" ? caller : "";
}

/** Stops one execution, whatever kind it is: the order is out before anything is stored or told. */
export async function stopExecution(
  parts: Parts,
  workspaceId: string,
  named: { profileId: string; executionId: string },
): Promise<StopResult> {
  const decision = await parts.store.apply(workspaceId, { input: "stop", ...named });
  const execution = executionIn(decision);
  if (decision.effects.length === 0) return stopTold({ execution, heard: true }, "already_ended");
  parts.effects.publish(workspaceId, decision);
  return stopTold(await settled(parts, workspaceId, decision, execution));
}

/** What the worker says settles the stop; if its operation takes longer to end, the stop goes on without the asker. */
async function settled(parts: Parts, workspaceId: string, decision: Decision, asked: Execution): Promise<Stopping> {
  const answer = await parts.effects.aborted(asked.id);
  const discarded = decision.effects.flatMap((effect) => (effect.effect === "abort" ? effect.discarded : []));
  if (!answer) await forbid(parts, workspaceId, discarded);
  if (asked.state === "stopped") return { execution: asked, heard: true };
  const { execution, heard } = await settleStop(parts, workspaceId, asked, answer);
  if (execution.state !== "stopping") return { execution, heard };
  const last = (await parts.ends.of(asked.id, STOP_SETTLE_MS)) ?? (await latest(parts, workspaceId, execution));
  return { execution: last, heard };
}

/** The end may have come before anybody waited for it. */
async function latest(parts: Parts, workspaceId: string, execution: Execution): Promise<Execution> {
  const state = await parts.store.get(workspaceId);
  return [state.execution, ...state.endedExecutions].find((known) => known?.id === execution.id) ?? execution;
}

const NOT_UNDONE = "A stop does not undo what a site has already taken in.";

const NOT_HEARD =
  "The worker that has the operation under way did not answer: the stop stands, and reaches it when it does, or when it is lost.";

function stopTold({ execution, heard }: Stopping, ended?: "already_ended"): StopResult {
  const state = ended ?? (execution.state === "stopping" ? "stopping" : "stopped");
  const { interrupted = null, discarded = 0 } = execution.cut ?? {};
  return {
    requested: execution.cut !== null,
    state,
    interrupted,
    discarded,
    note: state === "stopping" && !heard ? `${NOT_HEARD} ${NOT_UNDONE}` : NOT_UNDONE,
  };
}
