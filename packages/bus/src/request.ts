import { HoldfastError } from "@holdfast/protocol";
import { ErrorCode, type Msg, NatsError } from "nats";
import { decodeJson, encode } from "./codec.js";
import type { Bus } from "./connect.js";
import { REQUEST_MS } from "./limits.js";

export interface RequestOptions {
  /** ms until the wait ends; the work that was asked for goes on. */
  readonly timeoutMs?: number;
  /** Ends this wait, and nothing else. */
  readonly signal?: AbortSignal;
  /** What it means that nobody listens. */
  readonly nobody?: "MCP_NO_WORKER" | "MCP_BUS_DOWN";
}

/**
 * Asks and waits for one answer.
 * @throws HoldfastError `MCP_BUS_DOWN`, `MCP_NO_WORKER` (nobody listens), `MCP_DEADLINE`; the signal's reason when it ends the wait.
 * `details.delivered` is `no` where the request reached nobody for certain, and `unknown` where only the answer was lost.
 */
export async function request(
  bus: Bus,
  subject: string,
  body: unknown,
  options: RequestOptions = {},
): Promise<unknown> {
  const { timeoutMs = REQUEST_MS, nobody = "MCP_BUS_DOWN" } = options;
  if (!bus.connected()) throw new HoldfastError("MCP_BUS_DOWN", "", { delivered: "no" });
  const asked = bus.nc.request(subject, encode(body), { timeout: timeoutMs });
  const signals = [bus.lost(), ...(options.signal ? [options.signal] : [])];
  const message = await raced(asked, signals).catch((thrown: unknown) => {
    throw translated(thrown, nobody, timeoutMs);
  });
  return decodeJson(message.data);
}

/** The first to end wins, and no listener is left on a signal that outlives the wait. */
function raced(asked: Promise<Msg>, signals: readonly AbortSignal[]): Promise<Msg> {
  return new Promise((resolve, reject) => {
    const abort = (event: Event): void => settle(() => reject((event.target as AbortSignal).reason));
    const settle = (act: () => void): void => {
      for (const signal of signals) signal.removeEventListener("abort", abort);
      act();
    };
    for (const signal of signals) {
      if (signal.aborted) reject(signal.reason);
      else signal.addEventListener("abort", abort);
    }
    asked.then(
      (message) => settle(() => resolve(message)),
      (thrown: unknown) => settle(() => reject(thrown)),
    );
  });
}

function translated(thrown: unknown, nobody: "MCP_NO_WORKER" | "MCP_BUS_DOWN", timeoutMs: number): unknown {
  if (!(thrown instanceof NatsError)) return thrown;
  const options = { cause: thrown };
  if (thrown.code === ErrorCode.NoResponders)
    return new HoldfastError(nobody, "Nobody serves this at the moment.", { delivered: "no" }, options);
  if (thrown.code === ErrorCode.Timeout) {
    return new HoldfastError("MCP_DEADLINE", `No answer came within ${timeoutMs} ms.`, { timeoutMs }, options);
  }
  return new HoldfastError("MCP_BUS_DOWN", `The message bus failed: ${thrown.message}`, {}, options);
}
