import { type Bus, enqueue, QUEUE_WAIT_MS, type Sealing, tell } from "@holdfast/bus";
import type { Call, Fact, StopAnswer } from "@holdfast/protocol";
import type { Logger } from "pino";
import { afterwards } from "./afterwards.js";
import type { Decision, Effect } from "./core/inputs.js";
import type { Orders } from "./orders.js";

/** The only place that acts on decisions. */
export interface Effects {
  /** Sent before the decision is stored: a stop waits for nothing, and one that comes to nothing does no harm. */
  readonly abort: (workspaceId: string, executionId: string) => void;
  /** The worker's answer to the last order for that execution. */
  readonly aborted: (executionId: string) => Promise<StopAnswer | null>;
  /** Tells the facts of a decision that stands. */
  readonly publish: (workspaceId: string, decision: Decision) => void;
  readonly tell: (workspaceId: string, fact: Fact) => void;
  /** Queues the mutation that was admitted. @throws HoldfastError `MCP_QUEUE_FULL`, `MCP_BUS_DOWN` */
  readonly enqueue: (workspaceId: string, admission: Admission) => Promise<void>;
}

export interface Admission {
  readonly effect: Effect & { effect: "enqueue" };
  readonly call: Call;
  readonly replyTo: string;
  readonly viewedBy: Record<string, string[]>;
}

export function openEffects(bus: Bus, orders: Orders, { log, sealing }: { log: Logger; sealing: Sealing }): Effects {
  const answers = new Map<string, Promise<StopAnswer | null>>();
  const publish = (workspaceId: string, fact: Fact): void =>
    afterwards(() =>
      tell(bus, workspaceId, fact).catch((thrown: unknown) =>
        log.error({ workspaceId, fact, err: thrown }, "a fact was not stored"),
      ),
    );
  return {
    abort: (workspaceId, executionId) => {
      const answer = orders.stop(workspaceId, executionId);
      answers.set(executionId, answer);
    },
    aborted: async (executionId) => {
      const answer = await (answers.get(executionId) ?? null);
      answers.delete(executionId);
      return answer;
    },
    publish: (workspaceId, decision) => {
      for (const effect of decision.effects) if (effect.effect === "tell") publish(workspaceId, effect.fact);
    },
    tell: publish,
    enqueue: (workspaceId, { effect, call, replyTo, viewedBy }) => {
      const { mutation, profileId, newTab, generation, cursorless } = effect;
      const { operationId, operation, tabId, taskId, fingerprint } = mutation;
      const expiresAt = Date.now() + QUEUE_WAIT_MS;
      const work = {
        operation,
        operationId,
        request: sealing.seal(operation, named(call, tabId)),
        workspaceId,
        profileId,
        tabId,
        cursorless,
        taskId,
        newTab,
      };
      return enqueue(bus, { ...work, generation, fingerprint, expiresAt, replyTo, viewedBy, caller: call.caller });
    },
  };
}

/** The request with the tab that was meant by its place in the list, so that the worker need not look it up again. */
function named(call: Call, tabId: string | null): Call["request"] {
  return tabId === null ? call.request : { ...call.request, tabId };
}
