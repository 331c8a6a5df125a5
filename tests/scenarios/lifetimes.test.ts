import { rmSync } from "node:fs";
import { allGone, type PageServer, startPageServer, startTestStack, type TestStack, until } from "@holdfast/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { callingProcess } from "../support/killed-client.js";
import {
  fine,
  nextTask,
  pendingAre,
  SOON_MS,
  type Status,
  statusOf,
  stopOf,
  taskIn,
  taskState,
  told,
} from "../support/work.js";

let stack: TestStack;
let pages: PageServer;

beforeAll(async () => {
  pages = await startPageServer();
  stack = await startTestStack({ keepState: true });
});

afterAll(async () => {
  await stack?.stop();
  await pages?.close();
  if (stack) rmSync(stack.stateDir, { recursive: true, force: true });
});

const SLOW = `async () => { await fetch("/hit?id=slow", { method: "POST" }); return (await fetch("/slow?s=2")).status; }`;

test(verifies("lifetimes.apart"), async () => {
  const other = await stack.client();
  const [left, stopped, kept] = await Promise.all(
    ["left", "stopped", "kept"].map((name) => taskIn(stack, name, pages.url("/a"))),
  );
  if (!left || !stopped || !kept) throw new Error("Three tasks were to be started.");
  const works = [left, stopped, kept];
  const states = () => Promise.all(works.map((work) => taskState(other, work)));
  const args = { workspaceId: "left", taskId: left.taskId, function: SLOW, operationId: "slow" };
  const client = callingProcess(stack, "old", { tool: "browser_evaluate", args });
  await until(() => pages.hits("slow") === 1, { deadlineMs: 30_000, why: "the call acts" });

  await client.kill();
  expect(await states()).toEqual(["running", "running", "running"]);
  expect((await stopOf(other, stopped)).state).toBe("stopped");
  expect(await states()).toEqual(["running", "stopped", "running"]);
  const refused = await other.call("system_quit");
  expect(refused.code).toBe("MCP_BACKGROUND_PROJECT_RUNNING");
  const blockers = refused.meta.error?.details.blockers as { workspaceId: string }[];
  expect(blockers.map(({ workspaceId }) => workspaceId).sort()).toEqual(["kept", "left"]);
  expect(await states()).toEqual(["running", "stopped", "running"]);

  // What the killed client began has gone on through all of that.
  expect(fine(await other.call("browser_evaluate", args)).text).toContain("200");
  expect(pages.hits("slow")).toBe(1);
  for (const work of [left, kept]) told(await work.call("task_finish"));
});

test(verifies("lifetimes.end-of-connection"), async () => {
  const other = await stack.client();
  const work = await taskIn(stack, "in-good-order", pages.url("/a"));
  const closing = await stack.client("in-good-order");
  fine(await closing.call("browser_snapshot"));
  await closing.raw.transport?.close();
  await closing.close();
  expect(await taskState(other, work)).toBe("running");
  fine(await work.call("browser_close"));
  expect(await taskState(other, work)).toBe("running");
  fine(await work.call("browser_navigate", { url: pages.url("/b") }));
  told(await work.call("task_finish"));
});

test(verifies("lifetimes.terminated"), { timeout: 120_000 }, async () => {
  const work = await taskIn(stack, "terminated", pages.url("/form"));
  fine(await work.call("browser_type", { target: "#text", text: "half a word" }));
  const cut = work.call("browser_evaluate", {
    function: `async () => { await fetch("/hit?id=cut", { method: "POST" }); await fetch("/slow?s=30"); }`,
    operationId: "cut",
  });
  const ends = cut.then(
    (answer) => answer.code,
    () => "an error at the client",
  );
  await until(() => pages.hits("cut") === 1, { deadlineMs: SOON_MS, why: "the call acts" });
  const processes = stack.processes();
  await stack.stack.stop("SIGTERM");
  await allGone(processes, 10_000);
  expect(await ends).not.toBeNull();

  stack = await startTestStack({ stateDir: stack.stateDir, keepState: true });
  const back = await stack.client();
  await pendingAre(back, "terminated", 0);
  const status: Status = await statusOf(back, "terminated");
  const record = status.operations.find(({ operationId }) => operationId === "cut");
  expect(["stopped", "unknown"]).toContain(record?.outcome);
  expect(["running", "needs_check"]).toContain(status.execution?.state);
  expect(pages.hits("cut")).toBe(1);
  expect((await back.call("browser_snapshot", { workspaceId: "terminated" })).text).toContain("half a word");
  expect((await stopOf(back, work)).state).toBe("stopped");
  const next = await nextTask(back, "terminated");
  fine(await next.call("browser_navigate", { url: pages.url("/a") }));
  expect(pages.hits("cut")).toBe(1);
});
