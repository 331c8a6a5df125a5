import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { locateChromium, locateNatsServer } from "../locate.js";
import { missing } from "../setup.js";
import { type Closing, closingOf } from "./closing.js";
import { endpointAt, removeEndpoint, writeEndpoint } from "./endpoint.js";
import type { Bus, Surroundings } from "./environment.js";
import { takeLock } from "./lock.js";
import { beginLog, tailOf } from "./logs.js";
import { natsUrlFor } from "./nats-config.js";
import { endStaleServer, freePort, natsProgram } from "./nats-server.js";
import { type Stack, StackError, type StackEvent, type StackOptions } from "./options.js";
import { type Secrets, secretsIn } from "./secrets.js";
import { checkBuilt, servicePlans } from "./services.js";
import { type Hooks, type Supervised, supervise } from "./supervise.js";
import { goneTeller } from "./worker-gone.js";

/** Another program may take the port that was free a moment ago; then another one is tried. */
const BUS_TRIES = 3;

/**
 * Starts the local stack: the server, then task-control, which provisions the streams, then workers and gateways.
 * @returns when every child serves
 * @throws StackError with a sentence for people; nothing is left running then
 */
export async function startStack(given: StackOptions): Promise<Stack> {
  const options: StackOptions = { ...given, stateDir: resolve(given.stateDir) };
  mkdirSync(options.stateDir, { recursive: true, mode: 0o700 });
  const lock = takeLock(options.stateDir);
  const tell = (event: StackEvent) => options.onEvent?.(event);
  const closing = closingOf(tell, () => {
    removeEndpoint(options.stateDir);
    lock.release();
  });
  const onAbort = () => void closing.close("stop");
  options.signal?.addEventListener("abort", onAbort);
  void closing.closed.then(() => options.signal?.removeEventListener("abort", onAbort));
  try {
    return await bringUp(options, closing, tell);
  } catch (thrown) {
    const wanted = closing.isClosing();
    await closing.close("failed");
    if (wanted) throw new StackError("The stack was ended while it started.", { cause: thrown });
    throw withLogTail(thrown, options.stateDir, closing.children());
  }
}

async function bringUp(options: StackOptions, closing: Closing, tell: (event: StackEvent) => void): Promise<Stack> {
  removeEndpoint(options.stateDir);
  checkBuilt(options);
  const secrets = secretsIn(options.stateDir);
  const browser = browserFor(options);
  const gone = goneTeller((text) => tell({ event: "note", child: "", text }));
  void closing.closed.then(gone.close);
  const hooks: Hooks = {
    tell,
    onDeath: ({ workerId }) => {
      if (workerId !== undefined) void gone.tell(workerId);
    },
    onQuit: () => void closing.close("quit"),
    onGiveUp: (why) => {
      tell({ event: "note", child: "", text: why });
      void closing.close("failed");
    },
  };
  const bus = await startBus(options, secrets, closing, hooks);
  gone.at(bus.url);
  const services = servicePlans({ options, secrets, bus, browser }).map((plan) => closing.add(supervise(plan, hooks)));
  await startServices(services);
  const gateway = services.find((child) => child.plan.service === "mcp-gateway")?.view();
  const token = options.noAuth ? null : secrets.token;
  const endpoint = endpointAt(gateway?.port ?? null, bus.url, token);
  if (closing.isClosing()) throw new StackError("The stack was ended while it started.");
  writeEndpoint(options.stateDir, endpoint);
  return {
    endpoint,
    get children() {
      return closing.children().map((child) => child.view());
    },
    closed: closing.closed,
    stop: (signal) => closing.close(signal === "SIGKILL" ? "kill" : "stop"),
  };
}

function browserFor(options: StackOptions): Surroundings["browser"] {
  if (options.workers === 0) return null;
  // Two workers would each take the person's tabs for their own.
  if (options.browser?.startsWith("cdp:") && (options.workers ?? 1) > 1)
    throw new StackError("A browser that a person has started is served by one worker: leave --workers away.");
  const browser = options.browser ?? locateChromium()?.path;
  if (browser === undefined) throw new StackError(missing("chromium"));
  return browser;
}

async function startBus(options: StackOptions, secrets: Secrets, closing: Closing, hooks: Hooks): Promise<Bus> {
  if (options.natsUrl !== undefined) return { embedded: false, url: options.natsUrl };
  const server = locateNatsServer();
  if (server === null) throw new StackError(missing("nats-server"));
  const ended = await endStaleServer(options.stateDir);
  if (ended !== null) {
    hooks.tell({
      event: "note",
      child: "nats-server",
      text: `ended the nats-server that was left behind (process ${ended})`,
    });
  }
  const log = beginLog(options.stateDir, "nats-server");
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const program = () => natsProgram(options.stateDir, server, { port, secrets, log });
    const child = closing.add(supervise({ service: "nats-server", name: "nats-server", program }, hooks));
    try {
      await child.start();
      return { embedded: true, port, url: natsUrlFor("work", port, secrets) };
    } catch (thrown) {
      if (attempt >= BUS_TRIES || !tailOf(log).includes("address already in use")) throw thrown;
      closing.remove(child);
    }
  }
}

async function startServices(services: readonly Supervised[]): Promise<void> {
  const first = services.filter((child) => child.plan.service === "task-control");
  const then = services.filter((child) => child.plan.service !== "task-control");
  await Promise.all(first.map((child) => child.start()));
  await Promise.all(then.map((child) => child.start()));
}

/** The end of the log of what did not start says more than that it did not. */
function withLogTail(thrown: unknown, stateDir: string, children: readonly Supervised[]): unknown {
  if (!(thrown instanceof StackError)) return thrown;
  const culprit = children.find((child) => thrown.message.startsWith(`${child.plan.name} `));
  if (culprit === undefined) return thrown;
  const path = resolve(stateDir, "logs", `${culprit.plan.name}.log`);
  const tail = tailOf(path);
  return new StackError(`${thrown.message} Its log is ${path}${tail && `:\n${tail}`}`, { cause: thrown });
}
