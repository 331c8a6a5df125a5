import { HoldfastError } from "@holdfast/protocol";
import {
  type ConnectionOptions,
  connect,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
} from "nats";
import { CONNECT_MS, PING_INTERVAL_MS, PINGS_OUT_MAX, RECONNECT_WAIT_MS, REQUEST_MS } from "./limits.js";

/** A connection to the bus. Its NATS handles stay inside this package. */
export interface Bus {
  readonly name: string;
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
  /** Rejects with `MCP_BUS_DOWN` when the link is lost, for whatever waits at that moment. */
  readonly lost: () => AbortSignal;
  readonly connected: () => boolean;
  /** Resolves once the connection is closed for good. */
  readonly closed: Promise<void>;
  /** Lets everything under way end, then closes. */
  readonly drain: () => Promise<void>;
}

export interface BusOptions {
  /** `nats://user:password@host:port`, or several with commas. */
  readonly url: string;
  /** Shown in the server's list of connections. */
  readonly name: string;
}

/**
 * Connects, and stays connected: it reconnects for as long as it takes.
 * @throws HoldfastError `MCP_BUS_DOWN` when the first connection does not come about within `CONNECT_MS`
 */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const nc = await connect(connectionOptions(options)).catch((cause: unknown) => {
    throw new HoldfastError(
      "MCP_BUS_DOWN",
      `The message bus did not accept a connection: ${text(cause)}`,
      {},
      { cause },
    );
  });
  const link = watchLink(nc);
  return {
    name: options.name,
    nc,
    js: nc.jetstream({ timeout: REQUEST_MS }),
    lost: link.lost,
    connected: link.connected,
    closed: nc.closed().then(() => undefined),
    drain: () => (nc.isClosed() ? Promise.resolve() : nc.drain()),
  };
}

/** For what creates streams and buckets. */
export function manager(bus: Bus): Promise<JetStreamManager> {
  return bus.nc.jetstreamManager({ timeout: REQUEST_MS });
}

function connectionOptions({ url, name }: BusOptions): ConnectionOptions {
  const servers = url.split(",").map((part) => new URL(part.trim()));
  const first = servers[0];
  return {
    name,
    servers: servers.map((server) => server.host),
    ...(first?.username ? { user: decodeURIComponent(first.username), pass: decodeURIComponent(first.password) } : {}),
    // The client resolves names by DNS alone, so a name of /etc/hosts (compose, tests) would not be found.
    resolve: false,
    // It would take a stack trace for every request, in case it times out: a third of what a request costs.
    noAsyncTraces: true,
    timeout: CONNECT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_WAIT_MS,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: PINGS_OUT_MAX,
  };
}

function watchLink(nc: NatsConnection): { lost: () => AbortSignal; connected: () => boolean } {
  let current = new AbortController();
  let up = true;
  const follow = async (): Promise<void> => {
    for await (const status of nc.status()) {
      if (status.type === "disconnect") {
        up = false;
        current.abort(new HoldfastError("MCP_BUS_DOWN", "The link to the message bus was lost."));
      } else if (status.type === "reconnect") {
        up = true;
        current = new AbortController();
      }
    }
  };
  void follow();
  return { lost: () => current.signal, connected: () => up && !nc.isClosed() };
}

function text(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
