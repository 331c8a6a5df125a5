import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { FUSE_EVERY_MS, FUSE_MS } from "../limits.js";

/** A browser's group is ended only while its first process is still the one in our folder. */
const BURN = `
burn() {
  if [ -r "/proc/$1/cmdline" ]; then said=$(tr '\\0' ' ' < "/proc/$1/cmdline"); else said=$(ps -o command= -p "$1"); fi
  case "$said" in *"$2"*) kill -KILL "-$1" 2>/dev/null || kill -KILL "$1";; esac
}
`;

/**
 * Each line is the seconds until the browser is ended, unless another line comes first; 0 puts the fuse out. A process that
 * the system has stopped writes no lines, and when it wakes up it has no browser to act with. At the end of the input the
 * worker itself has ended, and its browser is somebody else's to end.
 */
const WAITING = `${BURN}
seconds=0
while :; do
  if [ "$seconds" = 0 ]; then read -r next; else read -r -t "$seconds" next; fi
  code=$?
  if [ "$code" -gt 128 ]; then burn "$1" "$2"; seconds=0
  elif [ "$code" -ne 0 ]; then exit 0
  else seconds=$next; fi
done
`;

/** The same for a shell that cannot wait for a line and for a time at once: the time is another process's. */
const FORKING = `${BURN}
lit=
while read -r seconds; do
  if [ -n "$lit" ]; then kill "$lit" 2>/dev/null; wait "$lit" 2>/dev/null; lit=; fi
  if [ "$seconds" != 0 ]; then
    ( trap 'kill "$nap" 2>/dev/null; exit 0' TERM; sleep "$seconds" & nap=$!; wait "$nap"; burn "$1" "$2" ) &
    lit=$!
  fi
done
if [ -n "$lit" ]; then kill "$lit" 2>/dev/null; fi
`;

/** To wait for no time at all means something else to a shell. */
const BURN_MS_MIN = 50;

/** Where Linux has bash. That of macOS is too old to wait for a part of a second. */
const BASH = "/bin/bash";

/**
 * Ends the browser from outside should this process not get to renew its leases in time: it may be stopped in the middle of
 * a click, and go on with it when it wakes up, before any of its own timers.
 * @param oldestMs how long ago the lease that waits longest was renewed; null when none is held
 * @returns how to put it out for good
 */
export function lightFuse(pid: number, folder: string, oldestMs: () => number | null): () => void {
  const waits = process.platform === "linux" && existsSync(BASH);
  const args = ["-c", waits ? WAITING : FORKING, "holdfast-browser-fuse", String(pid), folder];
  // In a group of its own: whoever stops or ends our group does not stop the fuse with it.
  const fuse: ChildProcess = spawn(waits ? BASH : "/bin/sh", args, {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without a shell there is no fuse; then the worker's own look at its leases is all there is.
  fuse.once("error", () => undefined);
  fuse.stdin?.on("error", () => undefined);
  fuse.unref();
  let burning = false;
  const renew = (): void => {
    const age = oldestMs();
    if (age === null && !burning) return;
    burning = age !== null;
    fuse.stdin?.write(age === null ? "0\n" : `${(Math.max(BURN_MS_MIN, FUSE_MS - age) / 1_000).toFixed(2)}\n`);
  };
  const timer = setInterval(renew, FUSE_EVERY_MS);
  return () => {
    clearInterval(timer);
    fuse.stdin?.end();
  };
}
