import { type ChildProcess, spawn } from "node:child_process";

/** After we have died the services still save what they hold, and need the server for that: it is given this, in seconds. */
const GRACE_SECONDS = 15;

/**
 * `read` returns when our end of the pipe is closed, which the system does however we end.
 * The pid may belong to another program by then, so its command line is looked at first.
 */
const SCRIPT = `
read _
sleep "$2"
if [ -r "/proc/$1/cmdline" ]; then tr '\\0' ' ' < "/proc/$1/cmdline"; else ps -o command= -p "$1"; fi |
  grep -qF -- "$3" && kill -TERM "$1"
`;

/**
 * Ends a child that does not notice our death by itself, should we die without ending it.
 * @param mark a text in the child's command line that no other program has
 * @returns how to let the guard go once the child has ended
 */
export function guardAgainstOurDeath(pid: number, mark: string): () => void {
  const args = ["-c", SCRIPT, "holdfast-guard", String(pid), String(GRACE_SECONDS), mark];
  const guard: ChildProcess = spawn("/bin/sh", args, { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  // Without a shell there is no guard; the next start ends what was left behind.
  guard.once("error", () => undefined);
  guard.unref();
  return () => void guard.kill("SIGKILL");
}
