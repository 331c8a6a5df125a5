import { readdirSync, readFileSync } from "node:fs";
import { until } from "./wait.js";

/** A process of this machine, told apart from a later one with the same pid by when it began. */
export interface ProcessSeen {
  readonly pid: number;
  readonly parentPid: number;
  readonly startedAt: string;
  readonly state: string;
  readonly command: string;
}

/** Every process there is. Linux only: `/proc` is the one place that tells parents without a helper program. */
export function processes(): ProcessSeen[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => processSeen(Number(pid)) ?? []);
}

/** The children of a process, theirs, and so on. */
export function descendants(pid: number, all: readonly ProcessSeen[] = processes()): ProcessSeen[] {
  const children = all.filter((process) => process.parentPid === pid);
  return children.flatMap((child) => [child, ...descendants(child.pid, all)]);
}

/** Those whose command line names something, such as a state directory: also when their parent is gone. */
export function processesNaming(text: string): ProcessSeen[] {
  return processes().filter((seen) => seen.pid !== process.pid && seen.command.includes(text));
}

/** Those of a list that are still there. */
export function stillThere(seen: readonly ProcessSeen[]): ProcessSeen[] {
  return seen.flatMap((before) => {
    const now = processSeen(before.pid);
    return now !== undefined && now.startedAt === before.startedAt && !isReaped(now) ? [now] : [];
  });
}

/** A zombie is a leak of the parent that does not reap it; one that has gone to init is init's to reap, when it likes. */
function isReaped({ state, parentPid }: ProcessSeen): boolean {
  return state === "Z" && parentPid === 1;
}

/** Waits until all of them are gone, and names those that are not. */
export async function allGone(seen: readonly ProcessSeen[], deadlineMs: number): Promise<void> {
  let left = stillThere(seen);
  const look = (): boolean => {
    left = stillThere(left);
    return left.length === 0;
  };
  try {
    await until(look, { deadlineMs, why: "all processes are gone" });
  } catch (cause) {
    const told = left.map((process) => `${process.pid} (${process.state}) ${process.command.slice(0, 120)}`);
    throw new Error(`${left.length} processes are left after ${deadlineMs} ms:\n${told.join("\n")}`, { cause });
  }
}

function processSeen(pid: number): ProcessSeen | undefined {
  const stat = procFile(pid, "stat");
  if (stat === undefined) return undefined;
  // The name stands in brackets and may hold spaces and brackets itself, so fields are counted from the last one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
  const command = procFile(pid, "cmdline")?.replaceAll("\0", " ").trim();
  return {
    pid,
    state: fields[0] ?? "?",
    parentPid: Number(fields[1]),
    startedAt: fields[19] ?? "?",
    command: command || `[${name}]`,
  };
}

function procFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch (error) {
    // It ended between the listing and the read; anything else is a fault.
    if (isGone(error)) return undefined;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH");
}
