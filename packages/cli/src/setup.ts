import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { type Located, locateChromium, locateNatsServer } from "./locate.js";
import { inNodeModules } from "./modules.js";

/** Told one line at a time, while something is looked for or installed. */
export type Say = (line: string) => void;

export type Program = "nats-server" | "chromium";

/** How a missing program comes onto this machine: commands to run in turn, or the one sentence for a person. */
export interface Remedy {
  /** Null when Holdfast cannot do it itself. */
  readonly run: readonly Command[] | null;
  readonly hint: string;
}

export type Command = readonly [program: string, ...args: string[]];

export interface Host {
  readonly platform: string;
  readonly root: boolean;
  /** `ID` of /etc/os-release, such as `debian` or `ubuntu`; empty elsewhere. */
  readonly distribution: string;
}

/** An installation without any output for this long, in ms, is told about, so that nobody thinks that it hangs. */
const QUIET_MS = 10_000;

/** A fresh machine often updates itself in the background; apt waits for it this long, in seconds. */
const APT_LOCK_SECONDS = 120;

export function thisHost(): Host {
  return { platform: process.platform, root: process.getuid?.() === 0, distribution: distribution() };
}

/** What would bring a program onto a machine. Ubuntu's chromium package is a snap, so there Playwright's is taken. */
export function remedyFor(program: Program, host: Host): Remedy {
  const byApt = host.distribution === "debian" || (host.distribution === "ubuntu" && program === "nats-server");
  if (byApt) {
    const hint = `apt-get install -y --no-install-recommends ${program}`;
    if (!host.root) return { run: null, hint: `sudo ${hint}` };
    const apt = ["apt-get", "-o", `DPkg::Lock::Timeout=${APT_LOCK_SECONDS}`] as const;
    return {
      run: [
        [...apt, "update"],
        [...apt, "install", "-y", "--no-install-recommends", program],
      ],
      hint,
    };
  }
  if (program === "nats-server") {
    return {
      run: null,
      hint:
        host.platform === "darwin" ? "brew install nats-server" : "go install github.com/nats-io/nats-server/v2@latest",
    };
  }
  const withDeps = host.root && host.platform === "linux" ? ["--with-deps"] : [];
  const args = ["install", ...withDeps, "chromium"];
  const hint = `npx playwright ${args.join(" ")}`;
  // The browser worker's own Playwright, so that the browser fits the library that drives it.
  const playwright = inNodeModules(".bin/playwright");
  return { run: playwright === null ? null : [[playwright, ...args]], hint };
}

/**
 * Makes sure that there is a NATS server and a browser, installing what is missing where that is possible.
 * @returns what was taken, null for a program that is still missing; `say` has been told the command that would help
 */
export async function setUp(say: Say, wanted: readonly Program[] = ["nats-server", "chromium"]) {
  const found: Record<Program, Located | null> = { "nats-server": null, chromium: null };
  for (const program of wanted) found[program] = await ensure(program, say);
  return found;
}

/** The sentence for a program that is missing. */
export function missing(program: Program, host: Host = thisHost()): string {
  const variable = program === "chromium" ? "HOLDFAST_CHROMIUM" : "HOLDFAST_NATS_SERVER";
  const chosen = process.env[variable];
  if (chosen) return `${variable} names ${chosen}, which is not a program that can be run.`;
  const name = program === "chromium" ? "no Chrome or Chromium" : "no nats-server";
  return `There is ${name} on this machine. Install it with: ${remedyFor(program, host).hint}`;
}

export function locate(program: Program): Located | null {
  return program === "chromium" ? locateChromium() : locateNatsServer();
}

export function describeLocated(program: Program, found: Located): string {
  const version = found.version === undefined ? "" : ` ${found.version}`;
  return `${program}${version}: ${found.path} (${found.why})`;
}

async function ensure(program: Program, say: Say): Promise<Located | null> {
  let found = locate(program);
  if (found === null) found = await install(program, say);
  say(found === null ? missing(program) : describeLocated(program, found));
  return found;
}

async function install(program: Program, say: Say): Promise<Located | null> {
  const variable = program === "chromium" ? "HOLDFAST_CHROMIUM" : "HOLDFAST_NATS_SERVER";
  const remedy = remedyFor(program, thisHost());
  if (remedy.run === null || process.env[variable]) return null;
  say(`${program} is missing; installing it: ${remedy.hint}`);
  for (const command of remedy.run) {
    const code = await run(command, say);
    // A failed `apt-get update` is not the end: the lists at hand may still name the package.
    if (code !== 0) say(`${command.join(" ")} ended with code ${code}.`);
  }
  return locate(program);
}

function run([command, ...args]: Command, say: Say): Promise<number> {
  return new Promise((resolve) => {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    let last = "";
    const quiet = setInterval(() => say(`still at it: ${last || command}`), QUIET_MS);
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        if (line.trim() === "") return;
        last = line.trim();
        if (isProgress(last)) say(last);
        quiet.refresh();
      });
    }
    const end = (code: number) => {
      clearInterval(quiet);
      if (code !== 0 && last) say(last);
      resolve(code);
    };
    child.once("error", () => end(127));
    child.once("close", (code) => end(code ?? 1));
  });
}

/** The lines of apt and Playwright that say how far things are; the rest is noise to a reader. */
function isProgress(line: string): boolean {
  return /^(Need to get|Fetched|Setting up (chromium|nats)|Downloading |E: |W: )|\|.*100%/.test(line);
}

function distribution(): string {
  try {
    return /^ID="?([a-z0-9._-]+)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "";
  } catch {
    return "";
  }
}
