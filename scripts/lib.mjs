// What `start` and `test` share. Plain JavaScript without dependencies: it runs before anything is installed.
import { spawn } from "node:child_process";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
export const cli = join(root, "packages/cli/dist/main.js");

const NODE_FLOOR = [20, 19];
/** A step without output for this long, in ms, says that it is still at it. */
const QUIET_MS = 15_000;
/** How soon it is noticed, in ms, that npm was cut. */
const PARENT_LOOK_MS = 250;
/** Holds the lock file's text that was installed: modification times say nothing after a fresh clone. */
const stamp = join(root, "node_modules/.holdfast-installed");

const env = { ...process.env, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1", TURBO_TELEMETRY_DISABLED: "1" };

/** Prints to stderr: stdout belongs to the program that is started, which may print JSON there. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** Ends this process with a sentence when Node is too old. */
export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > NODE_FLOOR[0] || (major === NODE_FLOOR[0] && minor >= NODE_FLOOR[1])) return;
  say(`Holdfast needs Node ${NODE_FLOOR.join(".")} or newer; this is ${process.versions.node} (${process.execPath}).`);
  process.exit(1);
}

/** Installs and builds, as far as that is needed. Returns false when a step failed; its output has been printed. */
export async function prepare() {
  if (!installed()) {
    if (!(await step("Installing packages", "npm", ["ci", "--include=dev", "--no-audit", "--no-fund"]))) return false;
    writeFileSync(stamp, lock());
  }
  const turbo = join(root, "node_modules/.bin/turbo");
  if (!(await step("Building", turbo, ["run", "build", "--output-logs=errors-only", "--no-update-notifier"])))
    return false;
  // The compiler writes no programs, and npx gives a command its right to run only where it sees the folder for the first time.
  chmodSync(cli, 0o755);
  return true;
}

/** Runs one step quietly; what it printed is shown only when it fails. */
export function step(title, command, args) {
  const begun = performance.now();
  let output = "";
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    const quiet = setInterval(() => say(`${title}: still at it (${seconds(begun)} s)`), QUIET_MS);
    const keep = (chunk) => {
      output += chunk;
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    const end = (ok, why) => {
      clearInterval(quiet);
      if (!ok) say(output.trimEnd());
      say(ok ? `${title}: done in ${seconds(begun)} s` : `${title} failed (${why}).`);
      resolve(ok);
    };
    child.once("error", (error) => end(false, error.message));
    child.once("close", (code) => end(code === 0, `exit code ${code}`));
  });
}

/** Runs a program in the foreground with signals passed on, and resolves with its exit code. */
export function foreground(command, args, stdio = "inherit") {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: process.cwd(), env, stdio });
    const pass = (signal) => child.kill(signal);
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    for (const signal of signals) process.on(signal, pass);
    const watch = watchNpm(() => pass("SIGTERM"));
    const end = (code) => {
      clearInterval(watch);
      for (const signal of signals) process.off(signal, pass);
      resolve(code);
    };
    child.once("error", (error) => {
      say(`${command} could not be run: ${error.message}`);
      end(1);
    });
    child.once("close", (code) => end(code ?? 1));
  });
}

/**
 * npm runs a script through a shell, which dies of a signal without passing it on: then our parent is another one.
 * Only under npm, since whoever runs us without it may leave us running on purpose.
 */
function watchNpm(onCut) {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    onCut();
  }, PARENT_LOOK_MS);
  return watch;
}

/** Installs the NATS server and the browser where they are missing. */
export async function setUpPrograms() {
  return (await foreground(process.execPath, [cli, "setup"], ["ignore", 2, 2])) === 0;
}

function installed() {
  if (!existsSync(join(root, "node_modules/.bin/turbo"))) return false;
  if (existsSync(stamp)) return readFileSync(stamp, "utf8") === lock();
  // Someone ran npm themselves: npm writes this file last, after everything the lock names is there.
  const npms = statSync(join(root, "node_modules/.package-lock.json"), { throwIfNoEntry: false });
  return npms !== undefined && npms.mtimeMs >= statSync(join(root, "package-lock.json")).mtimeMs;
}

function lock() {
  return readFileSync(join(root, "package-lock.json"), "utf8");
}

function seconds(begun) {
  return ((performance.now() - begun) / 1000).toFixed(1);
}
