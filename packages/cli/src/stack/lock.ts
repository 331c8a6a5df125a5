import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StackError } from "./options.js";
import { beginningOf, isAlive } from "./processes.js";

/** Who looks after a state folder. */
export interface Owner {
  readonly pid: number;
  /** When that process began: a later process with the same pid is not the owner. */
  readonly began: string | null;
}

export interface Lock {
  /** An earlier owner ended without cleaning up. */
  readonly wasStale: boolean;
  readonly release: () => void;
}

/** A lock that changes hands more often than this while it is being taken is not worth fighting for. */
const TRIES = 5;

/**
 * Takes a state folder for this process.
 * @throws StackError when a live Holdfast has it
 */
export function takeLock(stateDir: string): Lock {
  const path = lockPath(stateDir);
  const mine = JSON.stringify({ pid: process.pid, began: beginningOf(process.pid) } satisfies Owner);
  let wasStale = false;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    if (place(path, mine)) return { wasStale, release: () => release(path, mine) };
    const seen = textOf(path);
    const owner = ownerIn(seen);
    if (owner !== null && isOwnerAlive(owner)) throw taken(stateDir, owner);
    wasStale = true;
    if (seen !== null) removeIfStill(path, seen);
  }
  throw new StackError(`${path} keeps changing hands; start again in a moment.`);
}

/** The live owner of a state folder, or null. */
export function ownerOf(stateDir: string): Owner | null {
  const owner = ownerIn(textOf(lockPath(stateDir)));
  return owner !== null && isOwnerAlive(owner) ? owner : null;
}

function lockPath(stateDir: string): string {
  return join(stateDir, "holdfast.pid");
}

function taken(stateDir: string, owner: Owner): StackError {
  return new StackError(
    `Holdfast runs already with ${stateDir} (process ${owner.pid}). Use it, end it with \`holdfast quit\`, or give --state another folder.`,
  );
}

function isOwnerAlive(owner: Owner): boolean {
  return isAlive(owner.pid) && (owner.began === null || beginningOf(owner.pid) === owner.began);
}

/** Puts the lock there with its content, at once: a half-written lock would look stale to another. */
function place(path: string, content: string): boolean {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, content, { mode: 0o600 });
  try {
    linkSync(draft, path);
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw thrown;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Removes the lock that was seen to be stale, and puts back one that another has placed in the meantime. */
function removeIfStill(path: string, seen: string): void {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return;
    throw thrown;
  }
  const moved = textOf(aside);
  if (moved !== null && moved !== seen) place(path, moved);
  rmSync(aside, { force: true });
}

function release(path: string, mine: string): void {
  if (textOf(path) === mine) rmSync(path, { force: true });
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

function ownerIn(text: string | null): Owner | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value !== "object" || !("pid" in value) || !Number.isInteger(value.pid)) return null;
    const began = "began" in value && typeof value.began === "string" ? value.began : null;
    return { pid: Number(value.pid), began };
  } catch {
    return null;
  }
}
