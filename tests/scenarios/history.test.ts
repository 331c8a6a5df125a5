import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connectBus, followFacts } from "@holdfast/bus";
import type { FactRecord, HistoryRecord } from "@holdfast/protocol";
import { until } from "@holdfast/testkit";
import { describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { openTab, projectAt, withScene } from "../support/scene.js";
import { ROOT } from "../support/sources.js";
import { fine, nextTask, statusOf, told } from "../support/work.js";

/** Only ever typed: put together, so that no test file and no log of this run has it in one piece. */
const SECRET = ["swordfish", "under", "the", "bridge"].join("-");

const { stack, client, url } = withScene();

interface Page {
  readonly operations: readonly HistoryRecord[];
  readonly next: number | null;
}

async function historyOf(workspaceId: string, asked: Record<string, unknown> = {}): Promise<Page> {
  return told<Page>(await client().call("project_history", { workspaceId, ...asked }));
}

/** The record is written beside the work, so it may be a moment behind. */
function recorded(workspaceId: string, operationId: string): Promise<HistoryRecord> {
  const look = async () => (await historyOf(workspaceId)).operations.find((each) => each.operationId === operationId);
  return until(look, { deadlineMs: 5_000, why: `${operationId} is in the record` });
}

describe("the history", () => {
  test(verifies("record.history"), async () => {
    const [tab = ""] = await projectAt(client(), "told", [url("/a")]);
    const work = await nextTask(client(), "told");
    fine(await work.call("browser_click", { target: "#press", element: "the button", operationId: "press" }));
    const missing = await work.call("browser_click", { target: "#none", operationId: "none", timeoutMs: 300 });
    expect(missing.code).toBe("MCP_DEADLINE");
    told(await work.call("task_finish"));
    const { taskId } = work;
    expect(await recorded("told", "press")).toMatchObject({
      operation: "browser_click",
      caller: expect.stringMatching(/^mcp/),
      taskId,
      profileId: "default",
      tabId: tab,
      url: url("/a"),
      arguments: { target: "#press", element: "the button" },
      outcome: "done",
      code: null,
    });
    const failed = await recorded("told", "none");
    expect(failed).toMatchObject({ outcome: "failed", code: "MCP_DEADLINE" });
    expect(failed.durationMs).toBeGreaterThanOrEqual(300);
    const names = (await historyOf("told")).operations.map(({ operation }) => operation);
    expect(names).toEqual(expect.arrayContaining(["project_open", "browser_navigate", "task_start", "task_finish"]));
    const ofTask = (await historyOf("told", { taskId, outcome: "failed" })).operations;
    expect(ofTask.map(({ operationId }) => operationId)).toEqual(["none"]);
  });

  test(verifies("record.refused"), async () => {
    const [first = ""] = await projectAt(client(), "refused", [url("/a")]);
    const other = await openTab(client(), { workspaceId: "refused", url: url("/b") });
    const work = await nextTask(client(), "refused");
    const stranger = await stack().client();
    const read = await stranger.call("browser_snapshot", { workspaceId: "refused", tabId: other });
    const change = await stranger.call("browser_navigate", { workspaceId: "refused", url: url("/c") });
    expect([read.code, change.code]).toEqual(["MCP_TARGET_TAB_BUSY", "MCP_PROJECT_BUSY"]);
    expect(await recorded("refused", read.meta.operationId)).toMatchObject({
      operation: "browser_snapshot",
      tabId: other,
      outcome: "refused",
      code: "MCP_TARGET_TAB_BUSY",
      durationMs: null,
    });
    expect(await recorded("refused", change.meta.operationId)).toMatchObject({ code: "MCP_PROJECT_BUSY" });
    expect((await statusOf(client(), "refused")).cursor?.tabId).toBe(first);
    told(await work.call("task_finish"));
  });

  test(verifies("record.pages"), async () => {
    await projectAt(client(), "paged", [url("/a")]);
    const ids = Array.from({ length: 7 }, (_, index) => `click-${index}`);
    for (const operationId of ids)
      fine(await client().call("browser_click", { workspaceId: "paged", target: "#press", operationId }));
    await recorded("paged", "click-6");
    const seen: string[] = [];
    let before: number | null = null;
    do {
      const page: Page = await historyOf("paged", {
        limit: 3,
        operation: "browser_click",
        ...(before ? { before } : {}),
      });
      expect(page.operations.length).toBeLessThanOrEqual(3);
      seen.push(...page.operations.map(({ operationId }) => operationId));
      before = page.next;
    } while (before !== null);
    expect(seen).toEqual([...ids].reverse());
  });

  test(verifies("record.verdict"), { timeout: 120_000 }, async () => {
    await projectAt(client(), "verdict", [url("/a")]);
    const work = await nextTask(client(), "verdict");
    const script = '() => { document.body.append("it has begun"); return new Promise(() => undefined); }';
    const cut = work.call("browser_evaluate", { function: script, timeoutMs: 60_000, operationId: "cut" });
    cut.catch(() => undefined);
    // Queued is not begun: what was only handed out would run on the next worker.
    const begun = async () =>
      (await client().call("browser_snapshot", { workspaceId: "verdict" })).text.includes("it has begun");
    await until(begun, { deadlineMs: 10_000, why: "it has begun" });
    const worker = stack().stack.children.find(({ service }) => service === "browser-worker");
    process.kill(worker?.pid ?? 0, "SIGKILL");
    const checking = async () => (await statusOf(client(), "verdict")).execution?.state === "needs_check";
    await until(checking, { deadlineMs: 60_000, why: "the task needs a check" });
    told(await work.call("task_resolve", { operationId: "cut", verdict: "not_done" }));
    expect(await recorded("verdict", "cut")).toMatchObject({ outcome: "unknown", durationMs: null });
    const said = (await historyOf("verdict", { operation: "task_resolve" })).operations;
    expect(said).toMatchObject([
      {
        caller: expect.stringMatching(/^mcp/),
        arguments: { operationId: "cut", verdict: "not_done" },
        taskId: work.taskId,
      },
    ]);
    told(await work.call("task_finish"));
  });
});

describe("a secret that is typed", () => {
  test(verifies("record.no-secrets"), async () => {
    const workspaceId = "secret";
    await projectAt(client(), workspaceId, [url("/log")]);
    const answers = [
      await client().call("browser_type", {
        workspaceId,
        target: "#secret",
        text: SECRET,
        operationId: "typed",
        snapshot: "full",
      }),
      await client().call("browser_fill_form", {
        workspaceId,
        operationId: "filled",
        fields: [{ target: "#secret", name: "Secret", type: "textbox", value: SECRET }],
      }),
      await client().call("browser_snapshot", { workspaceId }),
      await client().call("project_status", { workspaceId }),
    ];
    for (const answer of answers) expect(JSON.stringify(fine(answer))).not.toContain(SECRET);
    expect((await recorded(workspaceId, "typed")).arguments).toMatchObject({ target: "#secret", text: "[masked]" });
    expect((await recorded(workspaceId, "filled")).arguments).toMatchObject({
      fields: [{ target: "#secret", name: "Secret", value: "[masked]" }],
    });
    expect(JSON.stringify(await factsOf(workspaceId))).not.toContain(SECRET);
    // The queue too, which is on the disk: there it travels sealed.
    const found = files(stack().stateDir);
    expect(found.length).toBeGreaterThan(20);
    expect(found.filter((path) => readFileSync(path).includes(SECRET))).toEqual([]);
  });

  function files(folder: string): string[] {
    const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  }
});

async function factsOf(workspaceId: string): Promise<FactRecord[]> {
  const bus = await connectBus({ url: stack().endpoint.natsUrl, name: "test" });
  const facts: FactRecord[] = [];
  try {
    const following = await followFacts(bus, { workspaceId, from: 1 }, (record) => facts.push(record));
    const ended = () => facts.some(({ fact }) => fact.fact === "operation.ended");
    await until(ended, { deadlineMs: 5_000, why: "the facts are told" });
    await following.stop();
  } finally {
    await bus.drain();
  }
  return facts;
}

describe("facts", () => {
  test(verifies("record.replay"), async () => {
    await projectAt(client(), "replayed", [url("/a")]);
    const facts = await factsOf("replayed");
    const [second] = facts.slice(1);
    const from = second?.sequence ?? 1;
    const cli = join(ROOT, "packages/cli/dist/main.js");
    const args = ["events", "--state", stack().stateDir, "--project", "replayed", "--from", String(from), "--json"];
    const child = spawn(process.execPath, [cli, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (data: Buffer) => {
      text += data.toString("utf8");
    });
    const lines = () =>
      text
        .split("\n")
        .filter(Boolean)
        .map((line): FactRecord => JSON.parse(line));
    await until(() => text.endsWith("\n") && lines().length >= facts.length - 1, {
      deadlineMs: 15_000,
      why: "all are told",
    });
    child.kill("SIGTERM");
    expect(lines().slice(0, facts.length - 1)).toEqual(facts.slice(1));
  });
});
