import { lstatSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { beginningOf } from "./os-processes.js";

/** One process, told apart from a later one with the same pid. */
const one = z.object({ pid: z.int(), began: z.string() });
export type ProcessKnown = z.infer<typeof one>;

/** Whose a folder is: written before anything else is put there. */
export const ownership = z.object({ worker: one, browsers: z.array(one) });
export type Ownership = z.infer<typeof ownership>;

export const OWNER_FILE = "owner.json";

/** Each waits 100 ms longer than the one before: a second in all. */
const REMOVE_TRIES_MAX = 4;

/**
 * Where a worker and its browser put what is of this run only: profiles, sockets, downloads. All of it is in one folder,
 * with the names of the processes beside it, so that whoever comes later can tell what was left and by whom.
 */
export interface RunFolder {
  readonly path: string;
  /** A browser of this worker is there. */
  readonly add: (pid: number) => void;
  /** A browser that has just ended may still write there: it is tried again, and what stays is the next start's to remove. */
  readonly remove: () => Promise<void>;
}

/** The folder of all runs of this user. Its path is short: Chromium makes sockets in it, whose names have 107 characters. */
export function runsFolder(env: Readonly<Record<string, string | undefined>>): string {
  const path = env.HOLDFAST_RUN_DIR || join(tmpdir(), `holdfast-${userInfo().uid}`);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const found = lstatSync(path);
  const ours = found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid());
  // Somebody else has put something there under our name: then this run has a folder of its own, and nothing is looked for.
  return ours ? path : mkdtempSync(join(tmpdir(), "holdfast-"));
}

export function openRunFolder(runs: string): RunFolder {
  const worker = { pid: process.pid, began: beginningOf(process.pid) ?? "" };
  const path = join(runs, `${worker.pid}-${worker.began.replaceAll(/\W/g, "")}`);
  let known: Ownership = { worker, browsers: [] };
  const write = (): void => {
    const file = join(path, OWNER_FILE);
    writeFileSync(`${file}.new`, JSON.stringify(known), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  mkdirSync(path, { recursive: true, mode: 0o700 });
  write();
  return {
    path,
    add: (pid) => {
      const began = beginningOf(pid);
      if (began === null) return;
      known = { ...known, browsers: [...known.browsers, { pid, began }] };
      write();
    },
    remove: () => rm(path, { recursive: true, force: true, maxRetries: REMOVE_TRIES_MAX }),
  };
}
