import { allGone, type PageServer, startPageServer, startTestStack, type TestStack, until } from "@holdfast/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { callingProcess, LINES } from "../support/killed-client.js";
import { type Client, fine, pendingAre, SOON_MS, statusOf, taskIn, taskState, told, within } from "../support/work.js";

const KILLS = 20;
/** What a killed client leaves behind ends by itself within this, in ms. */
const GONE_MS = 10_000;

let stack: TestStack;
let pages: PageServer;
let other: Client;

beforeAll(async () => {
  pages = await startPageServer();
  stack = await startTestStack();
  other = await stack.client();
});

afterAll(async () => {
  await stack?.stop();
  await pages?.close();
});

/** A call that has an effect, goes on for a while, and then gives a result. */
const counting = (id: string, seconds = 1) => ({
  function: `async () => { const hit = await fetch("/hit?id=${id}", { method: "POST" }); await fetch("/slow?s=${seconds}"); return "hit " + (await hit.text()); }`,
  operationId: `count-${id}`,
});

const acts = (id: string): Promise<unknown> =>
  until(() => pages.hits(id) > 0, { deadlineMs: 30_000, why: `the call ${id} acts` });

describe("a client that is killed in the middle of a call", () => {
  test.each(LINES)(verifies("disconnect.work-goes-on", "%s"), async (line) => {
    const id = `killed-${line}`;
    const work = await taskIn(stack, id, pages.url("/a"));
    const { workspaceId, taskId } = work;
    const args = { workspaceId, taskId, ...counting(id, 2) };
    const killed = callingProcess(stack, line, { tool: "browser_evaluate", args });
    await acts(id);
    const began = await killed.kill();

    const back = await stack.client();
    const { operations, execution } = await statusOf(back, workspaceId);
    expect(execution).toMatchObject({ id: taskId, state: "running" });
    expect(operations[0]).toMatchObject({ operationId: args.operationId, outcome: "running" });
    const answer = fine(await back.call("browser_evaluate", args));
    expect(answer.text).toContain("hit 1");
    expect(answer.meta).toMatchObject({ replayed: true, operationId: args.operationId, taskId });
    expect(pages.hits(id)).toBe(1);
    fine(await back.call("browser_click", { workspaceId, taskId, target: "#press" }));
    await allGone(began, GONE_MS);
  });

  test(verifies("disconnect.no-orphans"), { timeout: 180_000 }, async () => {
    const work = await taskIn(stack, "no-orphans", pages.url("/a"));
    const { workspaceId, taskId } = work;
    const before = browsers();
    for (let index = 0; index < KILLS; index += 1) {
      const id = `orphan-${index}`;
      const line = LINES[index % LINES.length] ?? "old";
      const args = { workspaceId, taskId, ...counting(id, 0) };
      const killed = callingProcess(stack, line, { tool: "browser_evaluate", args });
      await acts(id);
      await allGone(await killed.kill(), GONE_MS);
      expect(fine(await other.call("browser_evaluate", args)).text).toContain("hit 1");
    }
    expect(before.length).toBeGreaterThan(0);
    expect(browsers()).toEqual(before);
    const workers = stack.stack.children.filter(({ service }) => service === "browser-worker").map(({ pid }) => pid);
    expect(browsers().every(({ parentPid }) => workers.includes(parentPid))).toBe(true);
    told(await work.call("task_finish"));
  });

  /** The browsers as such, without the processes that each has for its pages. */
  function browsers(): { pid: number; parentPid: number }[] {
    const all = stack.processes().filter(({ command }) => command.includes("--user-data-dir"));
    return all.filter(({ command }) => !command.includes("--type=")).map(({ pid, parentPid }) => ({ pid, parentPid }));
  }
});

describe("a connection that ends", () => {
  test(verifies("disconnect.own-calls-end"), async () => {
    const work = await taskIn(stack, "own-calls-end", pages.url("/a"));
    const { workspaceId, taskId } = work;
    const waiting = work.call("browser_wait_for", { time: 2, operationId: "waits" });
    const rejected = expect(waiting).rejects.toThrow();
    await pendingAre(other, workspaceId, 1);
    await work.client.close();
    await within(SOON_MS, rejected, "the waiting call ends at the client");
    expect(await taskState(other, work)).toBe("running");
    const again = fine(await other.call("browser_wait_for", { workspaceId, taskId, time: 2, operationId: "waits" }));
    expect(again.meta.replayed).toBe(true);
  });

  test(verifies("disconnect.own-calls-end", "one call alone, by a client of the current protocol"), async () => {
    const work = await taskIn(stack, "one-call-ends", pages.url("/a"));
    const { workspaceId, taskId } = work;
    const modern = await stack.modernClient();
    const ending = new AbortController();
    const args = { workspaceId, taskId, ...counting("one-call-ends", 2) };
    const waiting = modern.call("browser_evaluate", args, { signal: ending.signal });
    const rejected = expect(waiting).rejects.toThrow();
    await acts("one-call-ends");
    ending.abort();
    await within(SOON_MS, rejected, "the wait is cancelled");
    expect(await taskState(other, work)).toBe("running");
    // The connection is as good as before, and the operation's end can be read.
    await pendingAre(other, workspaceId, 0);
    const record = (await statusOf(other, workspaceId)).operations.find((op) => op.operationId === args.operationId);
    expect(["done", "stopped"]).toContain(record?.outcome);
    fine(await modern.call("browser_click", { workspaceId, taskId, target: "#press" }));
    expect(pages.hits("one-call-ends")).toBe(1);
  });

  test(verifies("disconnect.comes-back"), async () => {
    const work = await taskIn(stack, "comes-back", pages.url("/a"));
    told(await work.call("project_memory", { action: "set", key: "step", value: { at: 3 }, taskId: undefined }));
    fine(await work.call("browser_click", { target: "#press", operationId: "the-last" }));
    const before = await until(
      async () => {
        const status = await statusOf(work.client, "comes-back");
        return status.tabs.some(({ url }) => url === pages.url("/a")) && status;
      },
      { deadlineMs: SOON_MS, why: "the tab's address is in the status" },
    );
    await work.client.close();

    for (const back of [await stack.client("comes-back"), await stack.modernClient("comes-back")]) {
      const now = told<Awaited<ReturnType<typeof statusOf>>>(await back.call("project_status"));
      expect(now).toEqual(before);
      expect(now).toMatchObject({ execution: { id: work.taskId, state: "running" }, memory: { step: { at: 3 } } });
      expect(now.operations[0]).toMatchObject({ operationId: "the-last", outcome: "done" });
      expect(fine(await back.call("browser_snapshot")).meta.target?.tabId).toBe(before.cursor?.tabId);
    }
  });

  test(verifies("disconnect.comes-back", "with a new connection for every call"), async () => {
    const once = async (tool: string, args: Record<string, unknown> = {}) => {
      const client = await stack.client("each-call");
      const answer = fine(await client.call(tool, args));
      await client.close();
      return answer;
    };
    const gone = await once("browser_navigate", { url: pages.url("/login?user=ann") });
    const here = await once("browser_navigate", { url: pages.url("/form") });
    await once("browser_type", { target: "#text", text: "typed by another connection" });
    const read = await once("browser_snapshot");
    expect(read.text).toContain("typed by another connection");
    expect([here.meta.target?.tabId, read.meta.target?.tabId]).toEqual([
      gone.meta.target?.tabId,
      gone.meta.target?.tabId,
    ]);
    await once("browser_navigate", { url: pages.url("/whoami") });
    expect((await once("browser_snapshot")).text).toContain("cookie: ann");
  });
});
