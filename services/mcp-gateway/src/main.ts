import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { ARTIFACTS, type Bus, connectBus, openArtifacts, openBucket, serve, verifier } from "@holdfast/bus";
import { wire } from "@holdfast/protocol";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { pino } from "pino";
import { Answering } from "./answering.js";
import { GateKeeper } from "./gate-keeper.js";
import { httpServer } from "./http.js";
import { DRAIN_MS, GIVE_UP_MS } from "./limits.js";
import { openMetrics } from "./metrics.js";
import { Notices } from "./notices.js";
import type { Relay } from "./relay.js";
import { buildServer, type ServerParts } from "./server.js";
import { Sessions, sessionRecord } from "./sessions.js";

const env = process.env;
// With stdio the protocol has standard output for itself, so logs go to standard error always.
// A log that cannot be written, as on a full disk, ends nothing.
const sink = pino.destination(2).on("error", () => undefined);
const log = pino({ name: "mcp-gateway", level: env.HOLDFAST_LOG_LEVEL ?? "info" }, sink);
/** ms a conversation that says nothing is remembered: a week, longer than any client pauses. */
const SESSION_TTL_MS = 604_800_000;

async function main(): Promise<void> {
  const url = required("HOLDFAST_NATS_URL");
  const bus = await connectBus({ url, name: "mcp-gateway" });
  const relay: Relay = { bus, artifacts: await openArtifacts(bus, ARTIFACTS) };
  const parts: ServerParts = { relay, gate: new GateKeeper(), notices: new Notices(bus, log) };
  if (process.argv.includes("--stdio")) await stdio(bus, parts);
  else await http(bus, parts);
}

/** One agent on standard input and output; it ends when the agent does. */
async function stdio(bus: Bus, parts: ServerParts): Promise<void> {
  const place = process.argv.indexOf("--project");
  const project = place > 0 ? (process.argv[place + 1] ?? null) : null;
  const served = serveStdio(() => buildServer(parts, { project, structured: false }));
  // When an answer finds nobody to take it, the server stops reading, and the end of the input is not told any more.
  await Promise.race([once(process.stdin, "end"), once(process.stdout, "error")]);
  await served.close();
  await bus.drain();
  process.exit(0);
}

async function http(bus: Bus, parts: ServerParts): Promise<void> {
  const stopBus = await connectBus({
    url: env.HOLDFAST_STOP_NATS_URL ?? required("HOLDFAST_NATS_URL"),
    name: "mcp-gateway stop",
  });
  const store = await openBucket(bus, { name: "HF_SESSIONS", ttlMs: SESSION_TTL_MS }, sessionRecord);
  const sessions = new Sessions(store, (endpoint) => buildServer(parts, endpoint));
  const answering = new Answering();
  const server = httpServer({
    ...parts,
    sessions,
    answering,
    metrics: openMetrics(parts.gate),
    log,
    token: env.HOLDFAST_TOKEN || null,
  });
  server.listen(Number(env.HOLDFAST_PORT ?? 0), bindAddress(env.HOLDFAST_HOST, env.HOLDFAST_TOKEN));
  await once(server, "listening");
  const end = async (): Promise<void> => {
    const late = setTimeout(() => {
      sessions.giveUpAll();
      setTimeout(() => process.exit(0), GIVE_UP_MS);
    }, DRAIN_MS);
    await parts.gate.shut();
    await answering.ended();
    await sessions.closeAll();
    // Idle connections go, busy ones when they are done.
    server.close(() => process.exit(0));
    server.closeIdleConnections();
    late.refresh();
  };
  const verify = verifier(required("HOLDFAST_STOP_PUBLIC_KEY"), Date.now);
  serve(
    stopBus,
    { pattern: wire.shutdown, onFailure: (failure) => log.error({ failure }, "a shutdown order is refused") },
    (body) => {
      if (verify(body).kind === "shutdown") void end();
    },
  );
  process.once("SIGTERM", () => void end());
  process.once("SIGINT", () => void end());
  // Whoever started us is gone, and nobody else would end us.
  process.once("disconnect", () => void end());
  const { port } = server.address() as AddressInfo;
  process.send?.({ type: "ready", port });
  log.info({ port }, "the gateway is running");
}

/** @throws Error for an address that other machines reach, without a token: whoever reaches it could drive the browser */
function bindAddress(host = "127.0.0.1", token = ""): string {
  if (LOOPBACK.includes(host) || token !== "") return host;
  throw new Error(`Without a token the gateway listens on loopback alone, not on ${host}: set HOLDFAST_TOKEN.`);
}

const LOOPBACK: readonly string[] = ["127.0.0.1", "::1", "localhost"];

function required(name: string): string {
  const value = env[name];
  if (value) return value;
  throw new Error(`${name} is not set; holdfast up sets it.`);
}

main().catch((thrown: unknown) => {
  log.fatal({ err: thrown }, "the gateway could not start");
  process.exit(1);
});
