import { type PageServer, startPageServer, startTestStack, type TestStack, until } from "@holdfast/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import {
  type Client,
  ended,
  fine,
  nextTask,
  pendingAre,
  SOON_MS,
  statusOf,
  stopOf,
  taskIn,
  taskState,
  told,
  type Work,
} from "../support/work.js";

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

describe("a stop by names that do not match", () => {
  /** A task with a call under way that ends only by itself or by a stop. */
  async function busyAt(workspaceId: string): Promise<{ work: Work; inFlight: ReturnType<Work["call"]> }> {
    const work = await taskIn(stack, workspaceId, pages.url("/a"));
    const waits = `async () => { await fetch("/hit?id=${workspaceId}", { method: "POST" }); return (await fetch("/slow?s=1")).status; }`;
    const inFlight = work.call("browser_evaluate", { function: waits });
    await hitsReach(workspaceId, 1);
    return { work, inFlight };
  }

  async function goesOn({ work, inFlight }: Awaited<ReturnType<typeof busyAt>>): Promise<void> {
    expect(await taskState(other, work)).toBe("running");
    expect(fine(await inFlight).text).toContain("200");
    fine(await work.call("browser_click", { target: "#press" }));
    told(await work.call("task_finish"));
  }

  test(verifies("stop.other-task"), async () => {
    const busy = await busyAt("other-task");
    const { workspaceId } = busy.work;
    const answer = await other.call("task_stop", { workspaceId, profileId: "default", taskId: "task_of_nobody" });
    expect(answer.code).toBe("MCP_TASK_MISMATCH");
    expect(answer.meta.error?.details).toMatchObject({ field: "taskId" });
    await goesOn(busy);
  });

  test(verifies("stop.other-profile"), async () => {
    const busy = await busyAt("other-profile");
    const { workspaceId, taskId } = busy.work;
    const answer = await other.call("task_stop", { workspaceId, profileId: "someone", taskId });
    expect(answer.code).toBe("MCP_TASK_MISMATCH");
    expect(answer.meta.error?.details).toMatchObject({ field: "profileId", given: "someone", current: "default" });
    await goesOn(busy);
  });

  test(verifies("stop.other-project"), async () => {
    const busy = await busyAt("other-project");
    const bystander = await taskIn(stack, "bystander", pages.url("/b"));
    const { taskId } = busy.work;
    const inAnother = await other.call("task_stop", { workspaceId: "bystander", profileId: "default", taskId });
    expect(inAnother.code).toBe("MCP_TASK_MISMATCH");
    const inNone = await other.call("task_stop", { workspaceId: "no-such-project", profileId: "default", taskId });
    expect(inNone.code).toBe("MCP_PROJECT_NOT_FOUND");
    expect(await taskState(other, bystander)).toBe("running");
    told(await bystander.call("task_finish"));
    const inAnIdleOne = await other.call("task_stop", { workspaceId: "bystander", profileId: "default", taskId });
    expect(inAnIdleOne.code).toBe("MCP_TASK_NOT_FOUND");
    await goesOn(busy);
  });

  test(verifies("stop.finished-task"), async () => {
    const finished = await taskIn(stack, "finished-task");
    told(await finished.call("task_finish", { result: "all is done" }));
    const alone = await stopOf(other, finished);
    expect(alone).toMatchObject({ requested: false, state: "already_ended", interrupted: null, discarded: 0 });
    expect(await taskState(other, finished)).toBe("finished");

    const next = await nextTask(other, finished.workspaceId);
    expect((await stopOf(other, finished)).state).toBe("already_ended");
    expect(await taskState(other, next)).toBe("running");
  });

  test(verifies("stop.twice"), async () => {
    const first = await busyAt("twice");
    const once = await stopOf(other, first.work);
    await ended(other, first.work);
    expect((await first.inFlight).code).toBe("MCP_STOPPED");

    const next = await nextTask(other, "twice");
    const waits = next.call("browser_wait_for", { time: 1 });
    await pendingAre(other, "twice", 1);
    const again = await stopOf(other, first.work);
    expect(again).toMatchObject({ requested: true, state: "already_ended", discarded: once.discarded });
    expect(again.interrupted?.operationId).toBe(once.interrupted?.operationId);
    expect(await stopOf(other, first.work)).toEqual(again);
    fine(await waits);
    expect(await taskState(other, next)).toBe("running");
  });

  test(verifies("stop.twice", "ten at once"), async () => {
    const { work, inFlight } = await busyAt("ten-at-once");
    const answers = await Promise.all(Array.from({ length: 10 }, () => stopOf(other, work)));
    expect(answers.every(({ requested }) => requested)).toBe(true);
    expect((await inFlight).code).toBe("MCP_STOPPED");
    await ended(other, work);
    const operations = (await statusOf(other, work.workspaceId)).operations.filter((op) => op.taskId === work.taskId);
    expect(operations).toMatchObject([{ outcome: "stopped" }]);
  });
});
