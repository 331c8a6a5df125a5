import { execFileSync } from "node:child_process";
import { accessSync, constants, readdirSync } from "node:fs";
import { homedir, platform } from "node:os";
import { delimiter, join } from "node:path";

/** A program that was found, and the sentence that says why this one was taken. */
export interface Located {
  readonly path: string;
  /** What the program says of itself, such as `2.9.10`; absent when it was not asked or did not say. */
  readonly version?: string;
  readonly why: string;
}

/** What locating looks at: the real machine, or in tests one that is made up. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: string;
  /** Whether the path is a program that may be run. */
  readonly runnable: (path: string) => boolean;
  /** The names in a folder; none when it cannot be read. */
  readonly list: (folder: string) => readonly string[];
  /** The program's own version, or undefined when it gives none. */
  readonly versionOf: (path: string) => string | undefined;
}

const SYSTEM_FOLDERS = ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/usr/bin", "/opt/homebrew/bin", "/snap/bin"];
const BROWSER_NAMES = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "chromium-headless-shell",
];
const MAC_BROWSERS = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
/** Where Playwright puts the program inside `chromium-N`; the folder's name has changed over its versions. */
const PLAYWRIGHT_PROGRAMS = [
  "chrome-linux64/chrome",
  "chrome-linux/chrome",
  "chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
  "chrome-mac-x64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
  "chrome-mac/Chromium.app/Contents/MacOS/Chromium",
];
/** A program that does not tell its version within this, in ms, is taken without one. */
const VERSION_DEADLINE_MS = 5_000;

export function thisMachine(): Machine {
  return { env: process.env, home: homedir(), platform: platform(), runnable, list, versionOf };
}

/** The NATS server to run, or null when there is none: `HOLDFAST_NATS_SERVER`, then PATH, then the usual folders. */
export function locateNatsServer(machine: Machine = thisMachine()): Located | null {
  const chosen = fromVariable(machine, "HOLDFAST_NATS_SERVER");
  if (chosen !== undefined) return chosen;
  return onPathOrUsual(machine, ["nats-server"]);
}

/**
 * The browser to run, or null when there is none: `HOLDFAST_CHROMIUM`, then the one that Playwright installed,
 * then Chrome or Chromium of the system.
 */
export function locateChromium(machine: Machine = thisMachine()): Located | null {
  const chosen = fromVariable(machine, "HOLDFAST_CHROMIUM");
  if (chosen !== undefined) return chosen;
  return playwrights(machine) ?? onPathOrUsual(machine, BROWSER_NAMES) ?? onMac(machine);
}

/** A variable that names nothing runnable gives null: someone chose it, so nothing else is taken in its place. */
function fromVariable(machine: Machine, variable: string): Located | null | undefined {
  const path = machine.env[variable];
  if (!path) return undefined;
  if (variable === "HOLDFAST_CHROMIUM" && path.startsWith("cdp:")) {
    return { path, why: `${variable} names a running browser` };
  }
  return machine.runnable(path) ? located(machine, path, `${variable} names it`) : null;
}

function onPathOrUsual(machine: Machine, names: readonly string[]): Located | null {
  const onPath = (machine.env.PATH ?? "").split(delimiter).filter(Boolean);
  for (const [folders, why] of [
    [onPath, "found on PATH"],
    [SYSTEM_FOLDERS, "found in a usual folder"],
  ] as const) {
    for (const name of names) {
      const folder = folders.find((one) => machine.runnable(join(one, name)));
      if (folder !== undefined) return located(machine, join(folder, name), why);
    }
  }
  return null;
}

function playwrights(machine: Machine): Located | null {
  const root = playwrightRoot(machine);
  const builds = machine
    .list(root)
    .filter((name) => /^chromium-\d+$/.test(name))
    .sort((a, b) => Number(b.slice("chromium-".length)) - Number(a.slice("chromium-".length)));
  for (const build of builds) {
    const program = PLAYWRIGHT_PROGRAMS.map((inside) => join(root, build, inside)).find(machine.runnable);
    if (program !== undefined) return located(machine, program, `Playwright installed it (${build})`);
  }
  return null;
}

function playwrightRoot(machine: Machine): string {
  const chosen = machine.env.PLAYWRIGHT_BROWSERS_PATH;
  if (chosen && chosen !== "0") return chosen;
  const cache = machine.platform === "darwin" ? "Library/Caches" : ".cache";
  return join(machine.home, cache, "ms-playwright");
}

function onMac(machine: Machine): Located | null {
  const path = machine.platform === "darwin" ? MAC_BROWSERS.find(machine.runnable) : undefined;
  return path === undefined ? null : located(machine, path, "found among the applications");
}

function located(machine: Machine, path: string, why: string): Located {
  const version = machine.versionOf(path);
  return version === undefined ? { path, why } : { path, version, why };
}

function runnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function versionOf(path: string): string | undefined {
  try {
    const told = execFileSync(path, ["--version"], {
      encoding: "utf8",
      timeout: VERSION_DEADLINE_MS,
      stdio: ["ignore", "pipe", "ignore"],
    });
    return /\d+(\.\d+)+/.exec(told)?.[0];
  } catch {
    return undefined;
  }
}
