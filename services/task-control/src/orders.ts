import { type Bus, request, type SignedOrder, signer } from "@holdfast/bus";
import { type StopAnswer, type StopOrder, stopAnswer, wire } from "@holdfast/protocol";
import { STOP_ANSWER_MS, STOP_ORDER_MS } from "./limits.js";

/** Orders to workers, on a connection of their own; only task-control can sign them. */
export interface Orders {
  /** Ends one execution's work at once. Null when no worker holds the project. */
  readonly stop: (workspaceId: string, executionId: string) => Promise<StopAnswer | null>;
  /** Ends one operation's work at once, and nothing else of its execution. */
  readonly cancel: (workspaceId: string, operationId: string) => Promise<StopAnswer | null>;
  /** Every process saves nothing more and ends. */
  readonly shutdown: () => void;
}

export function openOrders(stopBus: Bus, privateKey: string): Orders {
  const sign = signer(privateKey);
  const signed = (kind: StopOrder["kind"], workspaceId: string, subjectId: string): SignedOrder =>
    sign({ kind, workspaceId, subjectId, nonce: crypto.randomUUID(), expiresAt: Date.now() + STOP_ORDER_MS });
  const ordered = async (
    kind: "stop" | "cancel",
    workspaceId: string,
    subjectId: string,
  ): Promise<StopAnswer | null> => {
    const order = signed(kind, workspaceId, subjectId);
    // Every worker hears the order and only the holder answers, so silence and absence look alike: both mean nobody.
    const reply = await request(stopBus, wire.stop(workspaceId), order, { timeoutMs: STOP_ANSWER_MS }).catch(
      () => null,
    );
    const parsed = stopAnswer.safeParse(reply);
    return parsed.success ? parsed.data : null;
  };
  return {
    stop: (workspaceId, executionId) => ordered("stop", workspaceId, executionId),
    cancel: (workspaceId, operationId) => ordered("cancel", workspaceId, operationId),
    shutdown: () =>
      stopBus.nc.publish(wire.shutdown, new TextEncoder().encode(JSON.stringify(signed("shutdown", "_all", "")))),
  };
}
