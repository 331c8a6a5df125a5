import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** How often a process that should end is looked at, in ms. Only for those that are not our children. */
const LOOK_EVERY_MS = 50;

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // EPERM: it is there, and belongs to someone else.
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The command line of a process, or null when there is none to read. */
export function commandLine(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim() || null;
  } catch {
    return ps(pid, "command=");
  }
}

/**
 * When a process began, as the system tells it: an opaque text. With the pid it names one process for good,
 * while a pid alone may be given to another.
 */
export function beginningOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in brackets, may hold spaces; field 22 is the 20th after it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return ps(pid, "lstart=");
  }
}

/** Sends a signal. A process that is gone already is what was wanted, and no error. */
export function signalPid(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "ESRCH") throw thrown;
  }
}

/** Waits until a process that is not our child has ended; false when it has not within `deadlineMs`. */
export async function endOf(pid: number, deadlineMs: number): Promise<boolean> {
  const until = performance.now() + deadlineMs;
  while (isAlive(pid)) {
    if (performance.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return true;
}

function ps(pid: number, field: string): string | null {
  try {
    const told = execFileSync("ps", ["-o", field, "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return told.trim() || null;
  } catch {
    return null;
  }
}
