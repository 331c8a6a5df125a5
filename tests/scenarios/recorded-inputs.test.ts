import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PageServer, startPageServer, startTestStack, type TestStack, until } from "@holdfast/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { openTab, projectAt } from "../support/scene.js";
import { ROOT } from "../support/sources.js";
import { type Client, ended, fine, nextTask, pendingAre, statusOf, stopOf, told } from "../support/work.js";

/**
 * Real histories: things happen to a real stack that writes down what was decided, and the same is decided again. With
 * `HOLDFAST_KEEP_HISTORIES=1` they are put into tests/histories, where each later version is held to them.
 */
const KEEP = process.env.HOLDFAST_KEEP_HISTORIES === "1";
const KEPT = join(ROOT, "tests/histories");
const REPLAY = join(ROOT, "services/task-control/dist/replay.js");

let folder: string;
let stack: TestStack;
let pages: PageServer;
let client: Client;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hf-inputs-"));
  pages = await startPageServer();
  stack = await startTestStack({ env: { HOLDFAST_RECORD_INPUTS: folder } });
  client = await stack.client();
});

afterAll(async () => {
  await stack?.stop();
  await pages?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Decides again what was recorded of a project; throws with what differs. */
function decidedAgain(workspaceId: string, what: string): string {
  const [file] = readdirSync(folder).filter((name) => name.startsWith(`${workspaceId}-`));
  const path = join(folder, file ?? "none");
  const output = execFileSync(process.execPath, [REPLAY, path], { encoding: "utf8" });
  if (!KEEP) return output;
  const steps = readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line));
  mkdirSync(KEPT, { recursive: true });
  writeFileSync(join(KEPT, `${workspaceId}.json`), `${JSON.stringify({ what, steps }, null, 1)}\n`);
  return output;
}

const SCENES: readonly (readonly [name: string, what: string, act: (workspaceId: string) => Promise<void>])[] = [
  [
    "a-task-with-two-tabs-is-finished",
    "A task works in two tabs, is refused one of them until it selects it, and is finished.",
    async (workspaceId) => {
      await projectAt(client, workspaceId, [pages.url("/a")]);
      const other = await openTab(client, { workspaceId, url: pages.url("/b") });
      const work = await nextTask(client, workspaceId);
      fine(await work.call("browser_click", { target: "#press" }));
      expect((await work.call("browser_click", { target: "#press", tabId: other })).code).toBe("MCP_TARGET_TAB_BUSY");
      told(await work.call("browser_tabs", { action: "select", tabId: other }));
      fine(await work.call("browser_click", { target: "#press" }));
      told(await work.call("task_finish"));
    },
  ],
  [
    "a-stop-overtakes-six-queued-clicks",
    "A task waits for a minute with six clicks queued behind it, and is stopped.",
    async (workspaceId) => {
      await projectAt(client, workspaceId, [pages.url("/a")]);
      const work = await nextTask(client, workspaceId);
      const calls = [work.call("browser_wait_for", { time: 60 })];
      await pendingAre(client, workspaceId, 1);
      for (let index = 0; index < 6; index += 1) calls.push(work.call("browser_click", { target: "#press" }));
      await pendingAre(client, workspaceId, 7);
      expect(await stopOf(client, work)).toMatchObject({ requested: true, discarded: 6 });
      await Promise.all(calls);
      await ended(client, work);
    },
  ],
  [
    "a-worker-dies-in-mid-call-and-the-task-is-resolved",
    "A worker is killed while a task's call is under way; its end is unknown, somebody looks, and the task goes on.",
    async (workspaceId) => {
      await projectAt(client, workspaceId, [pages.url("/a")]);
      const work = await nextTask(client, workspaceId);
      const cut = work.call("browser_wait_for", { time: 60, operationId: "cut" });
      cut.catch(() => undefined);
      await pendingAre(client, workspaceId, 1);
      const running = async () => (await statusOf(client, workspaceId)).operations[0]?.outcome === "running";
      await until(running, { deadlineMs: 10_000, why: "the call is under way" });
      const worker = stack.stack.children.find(({ service }) => service === "browser-worker");
      process.kill(worker?.pid ?? 0, "SIGKILL");
      const checking = async () => (await statusOf(client, workspaceId)).execution?.state === "needs_check";
      await until(checking, { deadlineMs: 60_000, why: "the task needs a check" });
      expect((await work.call("browser_click", { target: "#press" })).code).toBe("MCP_TASK_NEEDS_CHECK");
      told(await work.call("task_resolve", { operationId: "cut", verdict: "not_done" }));
      fine(await work.call("browser_click", { target: "#press" }));
      told(await work.call("task_finish"));
    },
  ],
  [
    "a-quit-is-refused-by-a-task",
    "Somebody asks to quit while a task holds the project; nothing changes, and the task is finished.",
    async (workspaceId) => {
      await projectAt(client, workspaceId, [pages.url("/a")]);
      const work = await nextTask(client, workspaceId);
      expect((await client.call("system_quit")).code).toBe("MCP_BACKGROUND_PROJECT_RUNNING");
      fine(await work.call("browser_click", { target: "#press" }));
      told(await work.call("task_finish", { state: "failed" }));
      told(await client.call("project_close", { workspaceId }));
      told(await client.call("project_open", { workspaceId }));
    },
  ],
];

describe("what was decided", () => {
  test.each(SCENES)(verifies("record.decides-again", "%s"), { timeout: 120_000 }, async (name, what, act) => {
    await act(name);
    expect(decidedAgain(name, what)).toContain(" 0 differences");
  });
});
