import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "pino";
import { ORPHAN_GRACE_MS } from "../limits.js";
import { beginningOf, commandLine, killGroup } from "./os-processes.js";
import { OWNER_FILE, type Ownership, ownership, type ProcessKnown } from "./run-folder.js";

/** ms after which a folder in which nobody has written his name is nobody's: a name is written within a millisecond. */
const NAMELESS_MS = 60_000;

/**
 * Ends what dead workers have left, and removes their folders. Only what our own record names is touched, and only while
 * the system says that it is still that process, and its command line that it is a browser in that very folder.
 * @returns how many browsers were ended
 */
export function reap(runs: string, log: Logger): number {
  let ended = 0;
  for (const name of readdirSync(runs)) {
    const path = join(runs, name);
    try {
      ended += reapFolder(path, log);
    } catch (thrown) {
      log.warn({ path, err: thrown }, "what an earlier worker left could not be removed");
    }
  }
  return ended;
}

function reapFolder(path: string, log: Logger): number {
  const known = ownerOf(path);
  if (known === null) {
    if (Date.now() - statSync(path).mtimeMs > NAMELESS_MS) rmSync(path, { recursive: true, force: true });
    return 0;
  }
  if (isThere(known.worker)) return 0;
  const left = known.browsers.filter((browser) => isThere(browser) && commandLine(browser.pid).includes(path));
  for (const { pid } of left) {
    log.warn({ pid, worker: known.worker.pid }, "a browser whose worker has died is ended");
    killGroup(pid);
  }
  // A worker that died just now has a browser that is about to end by itself, and still writes: its guard removes the folder.
  const age = Date.now() - statSync(join(path, OWNER_FILE)).mtimeMs;
  if (left.length > 0 || age > ORPHAN_GRACE_MS) rmSync(path, { recursive: true, force: true });
  return left.length;
}

function ownerOf(path: string): Ownership | null {
  let text: string;
  try {
    text = readFileSync(join(path, OWNER_FILE), "utf8");
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw thrown;
  }
  return ownership.parse(JSON.parse(text));
}

function isThere({ pid, began }: ProcessKnown): boolean {
  return beginningOf(pid) === began;
}
