import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * When a process began, as the system tells it: an opaque text. With the pid it names one process for good,
 * while a pid alone may be given to another. Null for one that is not there.
 */
export function beginningOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in brackets, may hold spaces; field 22 is the 20th after it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return process.platform === "linux" ? null : ps(pid, "lstart=");
  }
}

export function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return process.platform === "linux" ? "" : (ps(pid, "command=") ?? "");
  }
}

/** Ends a process and all of its group. One that is gone already is what was wanted. */
export function killGroup(pid: number): void {
  for (const whom of [-pid, pid]) {
    try {
      process.kill(whom, "SIGKILL");
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "ESRCH") throw thrown;
    }
  }
}

function ps(pid: number, field: string): string | null {
  try {
    const told = execFileSync("ps", ["-o", field, "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return told.trim() || null;
  } catch {
    // It has ended, which is an answer.
    return null;
  }
}
