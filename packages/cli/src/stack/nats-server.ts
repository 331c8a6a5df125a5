import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { Located } from "../locate.js";
import type { Program } from "./life.js";
import { natsConfig } from "./nats-config.js";
import { commandLine, endOf, isAlive, signalPid } from "./processes.js";
import type { Secrets } from "./secrets.js";

/** The server is looked at this often until it answers, in ms. */
const LOOK_EVERY_MS = 20;
/** With large streams it reads for a while before it answers. */
const READY_DEADLINE_MS = 30_000;
/** An earlier server of ours has this long to end when asked, in ms, before it is made to. */
const STALE_END_DEADLINE_MS = 5_000;

/** Writes the configuration and tells how the server is run with it. */
export function natsProgram(
  stateDir: string,
  server: Located,
  bus: { port: number; secrets: Secrets; log: string },
): Program {
  const path = configPath(stateDir);
  const text = natsConfig({
    port: bus.port,
    storeDir: join(stateDir, "jetstream"),
    pidFile: pidPath(stateDir),
    secrets: bus.secrets,
    ...(server.version !== undefined && { version: server.version }),
  });
  writeFileSync(path, text, { mode: 0o600 });
  return {
    name: "nats-server",
    command: server.path,
    args: ["-c", path],
    env: process.env,
    log: bus.log,
    ipc: false,
    probe: (signal) => untilItAnswers(bus.port, signal),
    readyDeadlineMs: READY_DEADLINE_MS,
    guardMark: path,
  };
}

/**
 * Ends the server that an earlier Holdfast left behind: two servers on one store would spoil it.
 * Only a process whose command line names our configuration is ours.
 * @returns its pid, or null when there was none
 */
export async function endStaleServer(stateDir: string): Promise<number | null> {
  const pid = storedPid(stateDir);
  if (pid === null || !isAlive(pid)) return null;
  if (!commandLine(pid)?.includes(configPath(stateDir))) return null;
  signalPid(pid, "SIGTERM");
  if (!(await endOf(pid, STALE_END_DEADLINE_MS))) {
    signalPid(pid, "SIGKILL");
    await endOf(pid, STALE_END_DEADLINE_MS);
  }
  return pid;
}

/** A port on 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const port = await listenOnce(0);
  if (port === null) throw new Error("The system gave no free port.");
  return port;
}

/** Whether a port on 127.0.0.1 can be had. */
export async function isFree(port: number): Promise<boolean> {
  return (await listenOnce(port)) !== null;
}

function configPath(stateDir: string): string {
  return join(stateDir, "nats.conf");
}

function pidPath(stateDir: string): string {
  return join(stateDir, "nats.pid");
}

function storedPid(stateDir: string): number | null {
  try {
    const pid = Number(readFileSync(pidPath(stateDir), "utf8").trim());
    return Number.isInteger(pid) && pid > 1 ? pid : null;
  } catch {
    return null;
  }
}

function listenOnce(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === "object" ? address.port : null));
    });
  });
}

async function untilItAnswers(port: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await answers(port))) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** A NATS server greets each connection with a line that begins with INFO. */
export function answers(port: number, host = "127.0.0.1"): Promise<boolean> {
  return new Promise((resolve) => {
    const socket: Socket = connect(port, host);
    const done = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket.once("data", (data) => done(data.toString("latin1").startsWith("INFO ")));
    socket.once("error", () => done(false));
    socket.once("close", () => done(false));
  });
}
