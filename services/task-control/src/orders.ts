import { type Bus, request, type SignedOrder, signer } from "@holdfast/bus";
import { type StopAnswer, stopAnswer, wire } from "@holdfast/protocol";
import { STOP_ANSWER_MS, STOP_ORDER_MS } from "./limits.js";

/** Orders to workers, on a connection of their own; only task-control can sign them. */
export interface Orders {
  /** Ends one execution's work at once. Null when no worker holds the project. */
  readonly stop: (workspaceId: string, executionId: string) => Promise<StopAnswer | null>;
  /** Every process saves nothing more and ends. */
  readonly shutdown: () => void;
}

export function openOrders(stopBus: Bus, privateKey: string): Orders {
  const sign = signer(privateKey);
  const signed = (kind: "stop" | "shutdown", workspaceId: string, executionId: string): SignedOrder =>
    sign({ kind, workspaceId, executionId, nonce: crypto.randomUUID(), expiresAt: Date.now() + STOP_ORDER_MS });
  return {
    stop: async (workspaceId, executionId) => {
      const subject = wire.stop(workspaceId);
      const order = signed("stop", workspaceId, executionId);
      // Every worker hears the order and only the holder answers, so silence and absence look alike: both mean nobody.
      const reply = await request(stopBus, subject, order, { timeoutMs: STOP_ANSWER_MS }).catch(() => null);
      const parsed = stopAnswer.safeParse(reply);
      return parsed.success ? parsed.data : null;
    },
    shutdown: () =>
      stopBus.nc.publish(wire.shutdown, new TextEncoder().encode(JSON.stringify(signed("shutdown", "_all", "")))),
  };
}
