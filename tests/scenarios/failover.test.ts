import { type PageServer, startPageServer, startTestStack, type TestStack, until } from "@holdfast/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { freeze, holderOf, kill, movedFrom } from "../support/faults.js";
import { restoreOf, waitForSave } from "../support/kept.js";
import { openTab, tabsOf } from "../support/scene.js";
import { type Client, fine, pendingAre, statusOf, taskIn, told, type Work } from "../support/work.js";

/** A lease runs out after 10 s, and the next holder has to bring the project back. */
const TAKEN_OVER_MS = 40_000;
/** A worker whose death was seen is replaced without waiting for its lease. */
const SEEN_MS = 8_000;

let stack: TestStack;
let pages: PageServer;
let client: Client;

beforeAll(async () => {
  pages = await startPageServer();
  stack = await startTestStack({ workers: 2 });
  client = await stack.client();
});

afterAll(async () => {
  await stack?.stop();
  await pages?.close();
});

/** Acts, and then does not come to its end for a long time. */
const hangingAfterHit = (id: string) => ({
  function: `async () => { await fetch("/hit?id=${id}", { method: "POST" }); await new Promise(() => {}); }`,
  operationId: `lost-${id}`,
  timeoutMs: 120_000,
});

const isHit = (id: string): Promise<unknown> =>
  until(() => pages.hits(id) > 0, { deadlineMs: 30_000, why: `${id} was hit` });

/** Posts to a counter and is done when the counter has it. */
const hit = (id: string) => ({
  function: `() => fetch("/hit?id=${id}", { method: "POST" }).then((answer) => answer.text())`,
});

/** A task one of whose operations is lost, with others queued behind it, and what those will be answered. */
async function lose(
  workspaceId: string,
  queued: readonly string[],
): Promise<{ work: Work; answers: ReturnType<Work["call"]>[] }> {
  const work = await taskIn(stack, workspaceId, pages.url("/count?id=unused"));
  const asker = await stack.client();
  const lost = asker.call("browser_evaluate", { workspaceId, taskId: work.taskId, ...hangingAfterHit(workspaceId) });
  await isHit(workspaceId);
  const behind = queued.map((id, place) =>
    work.call("browser_evaluate", { ...hit(id), operationId: `${workspaceId}-q${place}` }),
  );
  await pendingAre(client, workspaceId, queued.length + 1);
  for (const answer of behind) answer.catch(() => undefined);
  const holder = await holderOf(stack, client, workspaceId);
  const { back } = kill(stack, holder.name);
  await movedFrom(client, workspaceId, holder, SEEN_MS);
  await needsCheck(workspaceId);
  await back();
  expect((await lost).code).toBe("MCP_OUTCOME_UNKNOWN");
  return { work, answers: behind };
}

async function needsCheck(workspaceId: string): Promise<void> {
  const stands = async (): Promise<boolean> => (await statusOf(client, workspaceId)).execution?.state === "needs_check";
  await until(stands, { deadlineMs: TAKEN_OVER_MS, why: `${workspaceId} needs a check` });
}

describe("a worker that is killed", () => {
  test(verifies("failover.worker-killed"), { timeout: 90_000 }, async () => {
    const workspaceId = "moves";
    const work = await taskIn(stack, workspaceId, pages.url("/a?m=first"));
    const second = await openTab(client, { workspaceId, url: pages.url("/b?m=second"), taskId: work.taskId });
    fine(await work.call("browser_tabs", { action: "select", tabId: second }));
    await waitForSave(stack, workspaceId);
    const [before, tabs] = [await statusOf(client, workspaceId), await tabsOf(client, workspaceId)];
    const holder = await holderOf(stack, client, workspaceId);
    const { back } = kill(stack, holder.name);
    const next = await movedFrom(client, workspaceId, holder, SEEN_MS);
    expect(next.epoch).toBeGreaterThan(holder.epoch);
    const snapshot = fine(await work.call("browser_snapshot"));
    expect(snapshot.meta.target).toMatchObject({ tabId: second, url: pages.url("/b?m=second") });
    expect(snapshot.text).toContain("MARK:/b:second");
    const after = await statusOf(client, workspaceId);
    expect([after.cursor, after.execution?.state]).toEqual([before.cursor, "running"]);
    const urls = (some: typeof tabs): string[] => some.map(({ tabId, url }) => `${tabId} ${url}`);
    expect(urls(await tabsOf(client, workspaceId))).toEqual(urls(tabs));
    fine(await work.call("browser_navigate", { url: pages.url("/a?m=on") }));
    const report = await restoreOf(client, workspaceId);
    expect(report.ageMs).toBeGreaterThanOrEqual(0);
    expect(report.items.some(({ what, id }) => what === "tab" && id === second)).toBe(true);
    await back();
  });

  test(verifies("failover.needs-check"), { timeout: 90_000 }, async () => {
    const { work } = await lose("in-doubt", []);
    const status = told<{ unknown: string[]; operations: { operationId: string; outcome: string }[] }>(
      await client.call("project_status", { workspaceId: "in-doubt" }),
    );
    expect(status.unknown).toEqual(["lost-in-doubt"]);
    expect(status.operations[0]).toMatchObject({ operationId: "lost-in-doubt", outcome: "unknown" });
    fine(await work.call("browser_snapshot"));
    const refused = await work.call("browser_evaluate", hit("in-doubt"));
    expect([refused.code, refused.meta.error?.details.unknown]).toEqual(["MCP_TASK_NEEDS_CHECK", ["lost-in-doubt"]]);
    const again = await work.call("browser_evaluate", hangingAfterHit("in-doubt"));
    expect([again.code, again.meta.replayed, pages.hits("in-doubt")]).toEqual(["MCP_OUTCOME_UNKNOWN", true, 1]);
    fine(await work.call("task_resolve", { operationId: "lost-in-doubt", verdict: "done" }));
    fine(await work.call("browser_evaluate", hit("in-doubt")));
    expect(pages.hits("in-doubt")).toBe(2);
  });

  test(verifies("failover.queue-waits"), { timeout: 90_000 }, async () => {
    const { work, answers } = await lose("queued", ["q", "q", "q"]);
    await pendingAre(client, "queued", 3);
    expect(pages.hits("q")).toBe(0);
    fine(await work.call("task_resolve", { operationId: "lost-queued", verdict: "not_done" }));
    const texts = (await Promise.all(answers)).map((answer) => fine(answer).text);
    expect(texts.map((text) => /"?(\d+)"?\s*$/.exec(text)?.[1])).toEqual(["1", "2", "3"]);
    expect(pages.hits("q")).toBe(3);
  });

  test(verifies("failover.verdict"), { timeout: 90_000 }, async () => {
    const { work } = await lose("verdict", []);
    fine(await work.call("task_resolve", { operationId: "lost-verdict", verdict: "not_done" }));
    const { operations } = told<{
      operations: { operationId: string; outcome: string; verdict?: { said: string; by: string } }[];
    }>(await client.call("project_status", { workspaceId: "verdict" }));
    const record = operations.find(({ operationId }) => operationId === "lost-verdict");
    expect(record).toMatchObject({ outcome: "unknown", verdict: { said: "not_done" } });
    expect(record?.verdict?.by).toMatch(/^mcp:/);
  });

  test(verifies("failover.idle"), { timeout: 90_000 }, async () => {
    const workspaceId = "idle";
    told(await client.call("project_open", { workspaceId }));
    fine(await client.call("browser_navigate", { workspaceId, url: pages.url("/a?m=idle") }));
    const holder = await holderOf(stack, client, workspaceId);
    const { back } = kill(stack, holder.name);
    const workerOf = async (): Promise<unknown> =>
      told<{ worker: unknown }>(await client.call("project_status", { workspaceId })).worker;
    await until(async () => (await workerOf()) === null, { deadlineMs: SEEN_MS, why: "nobody serves it" });
    await back();
    expect(await workerOf()).toBeNull();
    expect(fine(await client.call("browser_snapshot", { workspaceId })).text).toContain("MARK:/a:idle");
  });
});

describe("a worker that is stopped for a while", () => {
  test(verifies("failover.paused-worker"), { timeout: 120_000 }, async () => {
    const workspaceId = "paused";
    const work = await taskIn(stack, workspaceId, pages.url("/count?id=paused"));
    // The button comes late, so that the click is under way, and not done, when the worker is stopped.
    const later = `() => { const b = document.getElementById("hit"); b.hidden = true; setTimeout(() => { b.hidden = false; }, 4000); }`;
    fine(await work.call("browser_evaluate", { function: later }));
    const asker = await stack.client();
    const click = asker.call("browser_click", {
      workspaceId,
      taskId: work.taskId,
      target: "#hit",
      timeoutMs: 60_000,
      operationId: "late-click",
    });
    await pendingAre(client, workspaceId, 1);
    const holder = await holderOf(stack, client, workspaceId);
    const { thaw } = freeze(stack, holder.name);
    await movedFrom(client, workspaceId, holder, TAKEN_OVER_MS).finally(thaw);
    await needsCheck(workspaceId);
    expect((await click).code).toBe("MCP_OUTCOME_UNKNOWN");
    expect(pages.hits("paused")).toBe(0);
    fine(await work.call("task_resolve", { operationId: "late-click", verdict: "not_done" }));
    fine(await work.call("browser_click", { target: "#hit" }));
    await isHit("paused");
    expect(pages.hits("paused")).toBe(1);
  });

  test(verifies("failover.never-begun"), { timeout: 120_000 }, async () => {
    const workspaceId = "handed";
    const work = await taskIn(stack, workspaceId, pages.url("/a"));
    const holder = await holderOf(stack, client, workspaceId);
    const { thaw } = freeze(stack, holder.name);
    const answer = work.call("browser_evaluate", { ...hit("handed"), operationId: "handed-over" });
    await movedFrom(client, workspaceId, holder, TAKEN_OVER_MS).finally(thaw);
    expect(fine(await answer).meta.operationId).toBe("handed-over");
    expect(pages.hits("handed")).toBe(1);
    expect((await statusOf(client, workspaceId)).execution?.state).toBe("running");
  });
});
