import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  allGone,
  descendants,
  type PageServer,
  processes,
  startPageServer,
  startTestStack,
  type TestStack,
  until,
} from "@holdfast/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { restoreOf } from "../support/kept.js";
import { projectAt, tabsOf } from "../support/scene.js";
import { type Client, fine, told } from "../support/work.js";

/** What a dead worker leaves is gone after this, in ms. */
const GONE_MS = 10_000;
/** The whole is asked for by these: 10 restarts, and 200 openings. */
const RESTARTS = Number(process.env.HOLDFAST_RESTARTS ?? 3);
const CYCLES = Number(process.env.HOLDFAST_CYCLES ?? 12);

let pages: PageServer;
let runs: string;
const stacks: TestStack[] = [];
const others: ChildProcess[] = [];

beforeEach(async () => {
  pages = await startPageServer();
  runs = mkdtempSync(join(tmpdir(), "hf-runs-"));
});

afterEach(async () => {
  for (const other of others.splice(0)) other.kill("SIGKILL");
  for (const stack of stacks.splice(0)) await stack.stop();
  await pages.close();
  rmSync(runs, { recursive: true, force: true });
});

async function start(stateDir?: string): Promise<TestStack> {
  const env = { HOLDFAST_RUN_DIR: runs };
  const stack = await startTestStack({ env, keepState: stateDir !== undefined, ...(stateDir ? { stateDir } : {}) });
  stacks.push(stack);
  return stack;
}

function workerOf({ stack }: TestStack): number {
  const worker = stack.children.find(({ service }) => service === "browser-worker");
  if (!worker) throw new Error("The stack has no worker.");
  return worker.pid;
}

/** What a worker began: its browser with all that belongs to it. The guard is what sees to its end. */
function browserOf(worker: number) {
  return descendants(worker).filter(({ command }) => !command.includes("holdfast-browser-guard"));
}

async function killed(stack: TestStack, before: (browser: number) => void = () => undefined): Promise<void> {
  const worker = workerOf(stack);
  const [folder = ""] = readdirSync(runs);
  const all = browserOf(worker);
  const browser = all.find(({ parentPid, command }) => parentPid === worker && command.includes("--user-data-dir"));
  expect(all.length).toBeGreaterThan(3);
  expect(browser?.command).toContain(join(runs, folder));
  before(browser?.pid ?? 0);
  const guards = descendants(worker).filter(({ command }) => command.includes("holdfast-browser-guard"));
  process.kill(worker, "SIGKILL");
  await allGone([...all, ...guards], GONE_MS);
  await until(() => !readdirSync(runs).includes(folder), { deadlineMs: GONE_MS, why: `${folder} is removed` });
}

describe("a worker that is killed", () => {
  test(verifies("orphans.worker-killed"), { timeout: 120_000 }, async () => {
    const stack = await start();
    const client = await stack.client();
    await projectAt(client, "killed", [pages.url("/a"), pages.url("/form")]);
    for (let kill = 0; kill < 3; kill += 1) {
      await killed(stack);
      fine(await eventually(client, "killed"));
    }
    expect(ownerless()).toEqual([]);
  });

  test(verifies("orphans.browser-stopped"), { timeout: 120_000 }, async () => {
    const stack = await start();
    await projectAt(await stack.client(), "stopped", [pages.url("/a")]);
    await killed(stack, (browser) => process.kill(browser, "SIGSTOP"));
    expect(ownerless()).toEqual([]);
  });

  /** The project is served again once its lease has run out. */
  function eventually(client: Client, workspaceId: string) {
    const look = async () => {
      const answer = await client.call("browser_snapshot", { workspaceId });
      return answer.ok && answer;
    };
    return until(look, { deadlineMs: 60_000, why: `${workspaceId} is served again` });
  }

  /** Browsers of this test whose worker is not there. */
  function ownerless(): string[] {
    const workers = new Set(stacks.map(workerOf));
    const browsers = processes().filter(({ command }) => command.includes(runs) && command.includes("--user-data-dir"));
    const main = browsers.filter(({ command }) => !command.includes("--type="));
    return main.filter(({ parentPid }) => !workers.has(parentPid)).map(({ pid, command }) => `${pid} ${command}`);
  }
});

describe("a start", () => {
  test(verifies("orphans.reaper"), { timeout: 60_000 }, async () => {
    const left = folderOf("left", (folder) => stranger(`--user-data-dir=${folder}/profile`));
    const unnamed = folderOf("unnamed", () => stranger("--user-data-dir=/elsewhere"));
    const later = folderOf("later", (folder) => stranger(`--user-data-dir=${folder}/profile`), "1");
    const stack = await start();
    await until(() => left.child.signalCode === "SIGKILL", { deadlineMs: GONE_MS, why: "what was left is ended" });
    expect([unnamed.child, later.child].map(({ exitCode, signalCode }) => [exitCode, signalCode])).toEqual([
      [null, null],
      [null, null],
    ]);
    expect(readdirSync(runs).filter((name) => ["left", "unnamed", "later"].includes(name))).toEqual([]);
    await stack.stop();
  });

  /** A process that has nothing to do with Holdfast but what its command line says. */
  function stranger(mark: string): ChildProcess {
    const child = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)", "--", mark], {
      detached: true,
      stdio: "ignore",
    });
    others.push(child);
    return child;
  }

  /** A folder as a worker leaves it that died long ago, with the process that its record names. */
  function folderOf(name: string, begin: (folder: string) => ChildProcess, began?: string) {
    const folder = join(runs, name);
    mkdirSync(folder);
    const child = begin(folder);
    const seen = processes().find(({ pid }) => pid === child.pid);
    const browser = { pid: child.pid, began: began ?? seen?.startedAt ?? "" };
    const file = join(folder, "owner.json");
    writeFileSync(file, JSON.stringify({ worker: { pid: 1, began: "never" }, browsers: [browser] }));
    utimesSync(file, new Date(0), new Date(0));
    return { child };
  }
});

describe("again and again", () => {
  test(verifies("orphans.restarts"), { timeout: 60_000 + RESTARTS * 30_000 }, async () => {
    const stateDir = mkdtempSync(join(tmpdir(), "holdfast-test-"));
    let before: unknown[] | null = null;
    for (let run = 0; run <= RESTARTS; run += 1) {
      const stack = await start(stateDir);
      const client = await stack.client();
      if (before === null) await projectAt(client, "again", [pages.url("/a"), pages.url("/b"), pages.url("/form")]);
      else await restoreOf(client, "again");
      const now = (await tabsOf(client, "again")).map(({ tabId, url }) => [tabId, url]);
      expect(now).toHaveLength(3);
      expect(now).toEqual(before ?? now);
      before = now;
      const all = stack.processes();
      told(await client.call("system_quit"));
      await stack.stack.closed;
      await allGone(all, GONE_MS);
      expect(readdirSync(runs)).toEqual([]);
    }
    rmSync(stateDir, { recursive: true, force: true });
  });

  test(verifies("orphans.cycles"), { timeout: 60_000 + CYCLES * 5_000 }, async () => {
    const stack = await start();
    const client = await stack.client();
    for (let cycle = 0; cycle < CYCLES; cycle += 1) {
      const workspaceId = `cycle-${cycle % 3}`;
      told(await client.call("project_open", { workspaceId }));
      fine(await client.call("browser_navigate", { workspaceId, url: pages.url(`/login?user=u${cycle}`) }));
      fine(await client.call("browser_navigate", { workspaceId, url: pages.url("/whoami") }));
      expect(told(await client.call("project_close", { workspaceId }))).toMatchObject({ state: "closed", saved: true });
      told(await client.call("project_open", { workspaceId }));
      const { text } = fine(await client.call("browser_snapshot", { workspaceId }));
      expect(text).toContain(`cookie: u${cycle}`);
      expect(await tabsOf(client, workspaceId)).toHaveLength(1);
      told(await client.call("project_close", { workspaceId }));
    }
    expect(browserOf(workerOf(stack)).filter(({ command }) => command.includes("--type=renderer")).length).toBeLessThan(
      6,
    );
  });
});
