import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { guardAgainstOurDeath } from "./guard.js";
import { StackError } from "./options.js";

export interface Exit {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: string;
  /** It tells over IPC when it serves. Without, `probe` finds out. */
  readonly ipc: boolean;
  /** Settles when the program serves; it is told to give up by the signal. */
  readonly probe?: (signal: AbortSignal) => Promise<void>;
  /** In ms. */
  readonly readyDeadlineMs: number;
  /** For a program that would outlive us: a text of its command line that no other program has. */
  readonly guardMark?: string;
  /** The name under which a worker holds projects, this life alone. */
  readonly workerId?: string;
}

/** One run of a program, from its start to its end. */
export interface Life {
  readonly pid: number;
  /** Its port, if it told one. Rejects with a StackError when it ends first or takes too long. */
  readonly ready: Promise<{ readonly port?: number }>;
  readonly exited: Promise<Exit>;
  /** Asks it to end, and after `deadlineMs` makes it. */
  readonly end: (deadlineMs: number) => Promise<void>;
  readonly kill: () => void;
}

/** Starts a program. It never throws: a program that cannot be started is one that has exited with 127. */
export function begin(program: Program): Life {
  const log = openSync(program.log, "a", 0o600);
  // In a process group of its own, so that Ctrl-C in a terminal reaches only us, and we end things in order.
  const child = spawn(program.command, program.args, {
    env: program.env,
    detached: true,
    stdio: program.ipc ? ["ignore", log, log, "ipc"] : ["ignore", log, log],
  });
  closeSync(log);
  const exited = new Promise<Exit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.once("error", () => resolve({ code: 127, signal: null }));
  });
  if (program.guardMark !== undefined && child.pid !== undefined) {
    const letGo = guardAgainstOurDeath(child.pid, program.guardMark);
    void exited.then(letGo);
  }
  return {
    pid: child.pid ?? 0,
    exited,
    ready: readiness(program, child, exited),
    end: (deadlineMs) => end(child, exited, deadlineMs),
    kill: () => void child.kill("SIGKILL"),
  };
}

async function readiness(program: Program, child: ChildProcess, exited: Promise<Exit>): Promise<{ port?: number }> {
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), program.readyDeadlineMs);
  const tooLate = new Promise<never>((_, reject) => {
    giveUp.signal.addEventListener("abort", () => {
      reject(new StackError(`${program.name} was not ready within ${program.readyDeadlineMs} ms.`));
    });
  });
  const ended = exited.then((exit) => {
    throw new StackError(`${program.name} ended before it was ready (${describeExit(exit)}).`);
  });
  const probed = program.probe?.(giveUp.signal).then(() => ({}));
  try {
    return await Promise.race([probed ?? readyMessage(child), ended, tooLate]);
  } finally {
    clearTimeout(timer);
    ended.catch(() => undefined);
    tooLate.catch(() => undefined);
    giveUp.abort();
  }
}

export function describeExit({ code, signal }: Exit): string {
  return signal === null ? `exit code ${code}` : `by ${signal}`;
}

function readyMessage(child: ChildProcess): Promise<{ port?: number }> {
  return new Promise((resolve) => {
    child.on("message", (message: unknown) => {
      if (message === null || typeof message !== "object" || !("type" in message) || message.type !== "ready") return;
      resolve("port" in message && typeof message.port === "number" ? { port: message.port } : {});
    });
  });
}

async function end(child: ChildProcess, exited: Promise<Exit>, deadlineMs: number): Promise<void> {
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), deadlineMs);
  await exited;
  clearTimeout(timer);
}
