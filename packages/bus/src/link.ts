import { HoldfastError } from "@holdfast/protocol";
import type { NatsConnection } from "nats";

/** The link to the server, which comes and goes while the connection stays. */
export interface Link {
  readonly connected: () => boolean;
  /** Rejects with `MCP_BUS_DOWN` when the link is lost, for whatever waits at that moment. */
  readonly lost: () => AbortSignal;
  /** Calls back each time the link has come back, until it is stopped. */
  readonly onReconnect: (back: () => void) => () => void;
  /** True as soon as the link is there; false when it is not within `ms`. */
  readonly connectedWithin: (ms: number) => Promise<boolean>;
}

export function watchLink(nc: NatsConnection): Link {
  const listeners = new Set<() => void>();
  let current = new AbortController();
  let up = true;
  const follow = async (): Promise<void> => {
    for await (const status of nc.status()) {
      if (status.type === "disconnect") {
        up = false;
        // What was sent may have arrived: only the answer is lost for sure.
        const told = new HoldfastError("MCP_BUS_DOWN", "The link to the message bus was lost.", {
          delivered: "unknown",
        });
        current.abort(told);
      } else if (status.type === "reconnect") {
        up = true;
        current = new AbortController();
        for (const back of [...listeners]) back();
      }
    }
  };
  void follow();
  const connected = (): boolean => up && !nc.isClosed();
  const onReconnect = (back: () => void): (() => void) => {
    listeners.add(back);
    return () => void listeners.delete(back);
  };
  return {
    connected,
    onReconnect,
    lost: () => current.signal,
    connectedWithin: (ms) => (connected() ? Promise.resolve(true) : within(ms, onReconnect)),
  };
}

function within(ms: number, onReconnect: Link["onReconnect"]): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (there: boolean): void => {
      clearTimeout(timer);
      stop();
      resolve(there);
    };
    const timer = setTimeout(() => settle(false), ms);
    const stop = onReconnect(() => settle(true));
  });
}
