import { type ChildProcess, spawn } from "node:child_process";
import { ORPHAN_GRACE_MS } from "../limits.js";

/** How often what should end by itself is looked at, in seconds. */
const LOOK_SECONDS = "0.2";
const LOOKS = String(Math.ceil(ORPHAN_GRACE_MS / 200));

/**
 * `read` returns when our end of the pipe is closed, which the system does however we end. Chromium ends by itself when its
 * own pipe closes, but not one that is stopped or wedged: that is ended by its process group, which is the browser's own, if
 * the group's first process is still the one in our folder. Then the folder goes.
 */
const SCRIPT = `
read _
i=0
while kill -0 "-$1" 2>/dev/null && [ "$i" -lt "$3" ]; do sleep "$4"; i=$((i+1)); done
if kill -0 "-$1" 2>/dev/null; then
  if [ -r "/proc/$1/cmdline" ]; then said=$(tr '\\0' ' ' < "/proc/$1/cmdline"); else said=$(ps -o command= -p "$1"); fi
  case "$said" in *"$2"*|"") kill -KILL "-$1";; esac
fi
rm -rf -- "$2"
`;

/**
 * Ends a browser should we die without ending it, and removes what it has left.
 * @param folder the run's folder, which the browser's command line names
 * @returns how to let the guard go once the browser has ended
 */
export function guardBrowser(pid: number, folder: string): () => void {
  const args = ["-c", SCRIPT, "holdfast-browser-guard", String(pid), folder, LOOKS, LOOK_SECONDS];
  // In a group of its own, so that whoever ends our group does not end the guard with it.
  const guard: ChildProcess = spawn("/bin/sh", args, { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  // Without a shell there is no guard; the next start ends what was left behind.
  guard.once("error", () => undefined);
  guard.stdin?.once("error", () => undefined);
  guard.unref();
  return () => void guard.kill("SIGKILL");
}
