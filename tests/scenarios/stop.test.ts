import { type PageServer, startPageServer, startTestStack, type TestStack, until } from "@holdfast/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import {
  type Client,
  ended,
  fine,
  loopAfterHit,
  nextTask,
  pendingAre,
  postNow,
  SOON_MS,
  statusOf,
  stopOf,
  taskIn,
  told,
  type Work,
  within,
} from "../support/work.js";

const QUEUED = 500;
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

const hitsReach = (id: string, count: number): Promise<unknown> =>
  until(() => pages.hits(id) >= count, { deadlineMs: SOON_MS, why: `the counter ${id} reaches ${count}` });

/** The project takes the next task, which reads the page of before and works on it. */
async function worksOn(work: Work, path: string): Promise<void> {
  const next = await nextTask(other, work.workspaceId);
  const seen = fine(await next.call("browser_snapshot"));
  expect(seen.meta.target?.url).toBe(pages.url(path));
  expect(seen.text).toContain(`MARK:${new URL(pages.url(path)).pathname}`);
  fine(await next.call("browser_navigate", { url: pages.url("/a") }));
  fine(await next.call("browser_click", { target: "#press" }));
  told(await next.call("task_finish"));
}

describe("a stop", () => {
  test(verifies("stop.overtakes"), { timeout: 120_000 }, async () => {
    const work = await taskIn(stack, "overtakes", pages.url("/a"));
    const inFlight = work.call("browser_wait_for", { time: 30, operationId: "in-flight" });
    const script = `() => { ${postNow("queued")} }`;
    const queued = Array.from({ length: QUEUED }, () => work.call("browser_evaluate", { function: script }));
    await pendingAre(other, work.workspaceId, QUEUED + 1);

    const stopped = await within(SOON_MS, stopOf(other, work), "the stop is answered");
    expect(stopped).toMatchObject({ requested: true, discarded: QUEUED });
    expect(stopped.interrupted?.operationId).toBe("in-flight");
    await ended(other, work);
    expect((await within(SOON_MS, inFlight, "the call in flight ends")).code).toBe("MCP_STOPPED");
    const codes = new Set((await Promise.all(queued)).map(({ code }) => code));
    expect([...codes]).toEqual(["MCP_STOPPED"]);
    expect(pages.hits("queued")).toBe(0);
  });

  test(verifies("stop.discards"), async () => {
    const work = await taskIn(stack, "discards", pages.url("/a"));
    const inFlight = work.call("browser_wait_for", { time: 30 });
    await pendingAre(other, work.workspaceId, 1);
    const queued = Array.from({ length: 20 }, (_, i) =>
      work.call("browser_evaluate", { function: `() => { ${postNow("discarded")} }`, operationId: `discarded-${i}` }),
    );
    await pendingAre(other, work.workspaceId, 21);
    expect((await stopOf(other, work)).discarded).toBe(20);
    expect((await inFlight).code).toBe("MCP_STOPPED");
    expect(new Set((await Promise.all(queued)).map(({ code }) => code))).toEqual(new Set(["MCP_STOPPED"]));

    // Asked for again by its id, a discarded change is still a discarded one, also for the next task.
    const next = await nextTask(other, work.workspaceId);
    const again = await work.call("browser_evaluate", {
      function: `() => { ${postNow("discarded")} }`,
      operationId: "discarded-3",
    });
    expect(again.code).toBe("MCP_STOPPED");
    fine(await next.call("browser_click", { target: "#press" }));
    told(await next.call("task_finish"));
    expect(pages.hits("discarded")).toBe(0);
  });

  test(verifies("stop.script-loop"), async () => {
    const work = await taskIn(stack, "script-loop", pages.url("/spin?s=forever"));
    const arm = `() => document.getElementById("spin").addEventListener("click", () => { ${postNow("spin")} }, true)`;
    fine(await work.call("browser_evaluate", { function: arm }));
    const inFlight = work.call("browser_click", { target: "#spin", timeoutMs: 30_000 });
    await hitsReach("spin", 1);

    const reads = await within(SOON_MS, statusOf(other, work.workspaceId), "the status is told beside the loop");
    expect(reads.execution?.state).toBe("running");
    expect((await within(SOON_MS, stopOf(other, work), "the stop is answered")).requested).toBe(true);
    await ended(other, work);
    // A click may have been told as done before the loop that it began; what was cut is told as stopped.
    expect([null, "MCP_STOPPED"]).toContain((await within(SOON_MS, inFlight, "the click ends")).code);
    await worksOn(work, "/spin?s=forever");
  });

  test(verifies("stop.script-loop", "in an evaluation"), async () => {
    const work = await taskIn(stack, "script-loop-2", pages.url("/b"));
    const inFlight = work.call("browser_evaluate", { function: loopAfterHit("loop") });
    await hitsReach("loop", 1);
    const { requested, interrupted } = await within(SOON_MS, stopOf(other, work), "the stop is answered");
    expect(requested).toBe(true);
    const answer = await within(SOON_MS, inFlight, "the evaluation ends");
    expect(answer.code).toBe("MCP_STOPPED");
    expect(interrupted?.operationId).toBe(answer.meta.operationId);
    await ended(other, work);
    await worksOn(work, "/b");
  });

  test(verifies("stop.dialog"), async () => {
    const work = await taskIn(stack, "dialog", pages.url("/b"));
    const script = `() => { confirm("go on?"); ${postNow("behind-dialog")} }`;
    const held = fine(await within(SOON_MS, work.call("browser_evaluate", { function: script }), "the dialog is told"));
    expect(held.meta.dialogs).toMatchObject([{ kind: "confirm", message: "go on?", open: true }]);

    expect((await within(SOON_MS, stopOf(other, work), "the stop is answered")).requested).toBe(true);
    await ended(other, work);
    await until(async () => (await other.call("browser_snapshot", { workspaceId: work.workspaceId })).ok, {
      deadlineMs: SOON_MS,
      why: "the dialog is gone and the page can be read",
    });
    await worksOn(work, "/b");
    expect(pages.hits("behind-dialog")).toBe(0);
  });

  test(verifies("stop.dialog", "of another of its pages"), async () => {
    const work = await taskIn(stack, "dialog-elsewhere", pages.url("/open?to=/dlg"));
    const { tabId: opener } = (await statusOf(other, work.workspaceId)).cursor ?? {};
    fine(await work.call("browser_click", { target: "#open" }));
    const opened = await until(
      async () => (await statusOf(other, work.workspaceId)).tabs.find(({ url }) => url === pages.url("/dlg"))?.tabId,
      { deadlineMs: SOON_MS, why: "the page that was opened is a tab" },
    );
    told(await work.call("browser_tabs", { action: "select", tabId: opened }));
    const asked = fine(await work.call("browser_click", { target: "#ask" }));
    expect(asked.meta.dialogs).toMatchObject([{ tabId: opened, kind: "alert", open: true }]);
    told(await work.call("browser_tabs", { action: "select", tabId: opener }));
    // The two pages share one thread, which the dialog of the one holds up for the other too.
    const inFlight = work.call("browser_evaluate", { function: "() => 1" });
    await pendingAre(other, work.workspaceId, 1);
    await within(SOON_MS, stopOf(other, work), "the stop is answered");
    expect((await within(SOON_MS, inFlight, "the evaluation ends")).code).toBe("MCP_STOPPED");
    await ended(other, work);
    await worksOn(work, "/open?to=/dlg");
  });

  test(verifies("stop.navigation"), async () => {
    const work = await taskIn(stack, "navigation", pages.url("/c"));
    const inFlight = work.call("browser_navigate", { url: pages.url("/slow?s=30&m=hangs") });
    await until(() => pages.requests.some(({ mark }) => mark === "MARK:/slow:hangs"), {
      deadlineMs: SOON_MS,
      why: "the navigation is under way",
    });
    const { interrupted } = await within(SOON_MS, stopOf(other, work), "the stop is answered");
    const answer = await within(SOON_MS, inFlight, "the navigation ends");
    expect(answer.code).toBe("MCP_STOPPED");
    expect(interrupted?.operationId).toBe(answer.meta.operationId);
    await ended(other, work);
    await worksOn(work, "/c");
  });
});
