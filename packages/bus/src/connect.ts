import { HoldfastError } from "@holdfast/protocol";
import {
  type ConnectionOptions,
  connect,
  ErrorCode,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
  NatsError,
} from "nats";
import { CONNECT_MS, PING_INTERVAL_MS, PINGS_OUT_MAX, RECONNECT_WAIT_MS, REQUEST_MS } from "./limits.js";
import { type Link, watchLink } from "./link.js";
import { pause } from "./pause.js";

/** A connection to the bus. Its NATS handles stay inside this package. */
export interface Bus extends Link {
  readonly name: string;
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
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
  const nc = await firstConnection(options).catch((cause: unknown) => {
    const told = `The message bus did not accept a connection: ${text(cause)}`;
    throw new HoldfastError("MCP_BUS_DOWN", told, {}, { cause });
  });
  return {
    name: options.name,
    nc,
    js: nc.jetstream({ timeout: REQUEST_MS }),
    ...watchLink(nc),
    closed: nc.closed().then(() => undefined),
    drain: () => (nc.isClosed() ? Promise.resolve() : nc.drain()),
  };
}

/** For what creates streams and buckets. */
export function manager(bus: Bus): Promise<JetStreamManager> {
  return bus.nc.jetstreamManager({ timeout: REQUEST_MS });
}

/** The server may be starting at this moment, so a refused connection is tried again; what it answers is not. */
async function firstConnection(options: BusOptions): Promise<NatsConnection> {
  const until = performance.now() + CONNECT_MS;
  for (;;) {
    try {
      return await connect(connectionOptions(options));
    } catch (thrown) {
      if (!isAbsence(thrown) || performance.now() > until) throw thrown;
    }
    await pause(RECONNECT_WAIT_MS);
  }
}

function isAbsence(thrown: unknown): boolean {
  const absent: readonly string[] = [ErrorCode.ConnectionRefused, ErrorCode.ConnectionTimeout, ErrorCode.Timeout];
  return thrown instanceof NatsError && absent.includes(thrown.code);
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

function text(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
