import { closeSync, mkdirSync, openSync, readSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

/** How much of a log's end is looked at for an error's sake, in bytes. */
const TAIL_BYTES = 4_096;
const TAIL_LINES = 8;

export function logPath(stateDir: string, name: string): string {
  return join(stateDir, "logs", `${name}.log`);
}

/** Begins a new log; the one of the start before is kept beside it as `NAME.log.1`, and older ones are let go. */
export function beginLog(stateDir: string, name: string): string {
  mkdirSync(join(stateDir, "logs"), { recursive: true, mode: 0o700 });
  const path = logPath(stateDir, name);
  if (statSync(path, { throwIfNoEntry: false })) renameSync(path, `${path}.1`);
  return path;
}

/** The last lines of a log, for the message about what ended so. Empty when there are none. */
export function tailOf(path: string): string {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return "";
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString("utf8").trimEnd().split("\n").slice(-TAIL_LINES).join("\n");
  } finally {
    closeSync(file);
  }
}
