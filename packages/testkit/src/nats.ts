import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { locateNatsServer } from "@holdfast/cli";

/** A real nats-server with JetStream, without accounts: for tests of the bus alone. */
export interface TestNats {
  readonly url: string;
  readonly port: number;
  readonly pid: () => number;
  /** Ends it at once, as a crash does; what it has stored stays. */
  readonly kill: () => Promise<void>;
  /** Starts it again after `kill`, at the same address and with what it had stored. */
  readonly restart: () => Promise<void>;
  /** Ends it and removes what it has stored. */
  readonly stop: () => Promise<void>;
}

/** A server that does not say it is ready within this, in ms, never will. */
const READY_MS = 10_000;

export async function startNats(): Promise<TestNats> {
  const program = locateNatsServer();
  if (program === null)
    throw new Error("There is no nats-server here: install it, or name it in HOLDFAST_NATS_SERVER.");
  const storeDir = mkdtempSync(join(tmpdir(), "holdfast-nats-"));
  let running = await run(program.path, storeDir, -1);
  const { port } = running;
  const kill = async (): Promise<void> => {
    if (running.child.exitCode !== null || running.child.signalCode !== null) return;
    const exited = once(running.child, "exit");
    running.child.kill("SIGKILL");
    await exited;
  };
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    pid: () => running.child.pid ?? 0,
    kill,
    restart: async () => {
      running = await run(program.path, storeDir, port);
    },
    stop: async () => {
      await kill();
      rmSync(storeDir, { recursive: true, force: true });
    },
  };
}

interface Running {
  readonly child: ChildProcess;
  readonly port: number;
}

/** @param port -1 takes a free one, which the server tells in its log */
async function run(program: string, storeDir: string, port: number): Promise<Running> {
  const args = ["--addr", "127.0.0.1", "--port", String(port), "--jetstream", "--store_dir", storeDir];
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  const log: string[] = [];
  // A test run that is cut short leaves no server behind.
  process.once("exit", () => child.kill("SIGKILL"));
  const timer = setTimeout(() => child.kill("SIGKILL"), READY_MS);
  try {
    for await (const line of createInterface({ input: child.stderr })) {
      log.push(line);
      if (line.includes("Server is ready")) return { child, port: portIn(log) };
    }
    throw new Error(`nats-server ended before it was ready:\n${log.join("\n")}`);
  } finally {
    clearTimeout(timer);
    // Left unread, the pipe would fill up and hold the server.
    child.stderr.resume();
  }
}

function portIn(log: readonly string[]): number {
  const told = log.join("\n").match(/Listening for client connections on 127\.0\.0\.1:(\d+)/);
  if (told?.[1] === undefined) throw new Error(`nats-server did not tell its port:\n${log.join("\n")}`);
  return Number(told[1]);
}
