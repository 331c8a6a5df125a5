import { type PageServer, startPageServer, startTestStack, type TestStack, until } from "@holdfast/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { kill } from "../support/faults.js";
import { fine, taskIn, told } from "../support/work.js";

let stack: TestStack;
let pages: PageServer;

beforeAll(async () => {
  pages = await startPageServer();
  stack = await startTestStack();
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

describe("an operation id", () => {
  test(verifies("disconnect.nothing-twice"), async () => {
    const work = await taskIn(stack, "nothing-twice", pages.url("/a"));
    const call = () => work.call("browser_evaluate", counting("nothing-twice"));
    const first = call();
    await acts("nothing-twice");
    // While the first is under way, and after it.
    const [once, ...meanwhile] = await Promise.all([first, call(), call()]);
    const later = [await call(), await (await stack.modernClient()).call("browser_evaluate", argsOf(work))];
    expect(fine(once).meta.replayed).toBe(false);
    for (const again of [...meanwhile, ...later]) {
      expect(fine(again).text).toContain('"hit 1"');
      expect(again.meta).toMatchObject({
        replayed: true,
        operationId: "count-nothing-twice",
        target: once.meta.target,
      });
    }
    expect(pages.hits("nothing-twice")).toBe(1);
  });

  const argsOf = ({ workspaceId, taskId }: { workspaceId: string; taskId: string }) => ({
    workspaceId,
    taskId,
    ...counting("nothing-twice"),
  });

  test(verifies("disconnect.nothing-twice", "sent ten times at once"), async () => {
    const work = await taskIn(stack, "ten-times", pages.url("/a"));
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => work.call("browser_evaluate", counting("ten-times", 0))),
    );
    for (const answer of answers) expect(fine(answer).text).toContain('"hit 1"');
    expect(answers.filter(({ meta }) => !meta.replayed)).toHaveLength(1);
    expect(pages.hits("ten-times")).toBe(1);
  });

  test(verifies("disconnect.nothing-twice", "of a failure"), async () => {
    const work = await taskIn(stack, "a-failure", pages.url("/a"));
    const call = () => work.call("browser_click", { target: "#nothing", timeoutMs: 300, operationId: "fails" });
    const first = await call();
    expect(first.ok).toBe(false);
    const again = await call();
    expect([again.code, again.meta.replayed]).toEqual([first.code, true]);
  });

  test(verifies("disconnect.conflict"), async () => {
    const work = await taskIn(stack, "conflict", pages.url("/a"));
    fine(await work.call("browser_evaluate", counting("conflict", 0)));
    const operationId = "count-conflict";
    const otherArguments = await work.call("browser_evaluate", { ...counting("conflict-2", 0), operationId });
    const otherTool = await work.call("browser_click", { target: "#press", operationId });
    expect([otherArguments.code, otherTool.code]).toEqual(["MCP_OPERATION_CONFLICT", "MCP_OPERATION_CONFLICT"]);
    expect(pages.hits("conflict-2")).toBe(0);
    expect(fine(await work.call("browser_snapshot")).text).not.toContain("pressed:");
  });

  test(verifies("failover.no-task"), { timeout: 90_000 }, async () => {
    const asker = await stack.client("alone");
    fine(await asker.call("browser_navigate", { url: pages.url("/a") }));
    const lost = asker.call("browser_evaluate", counting("alone", 60));
    await acts("alone");
    const { back } = kill(stack, "browser-worker");
    expect((await lost).code).toBe("MCP_OUTCOME_UNKNOWN");
    await back();
    fine(await asker.call("browser_evaluate", counting("after-it", 0)));
    const verdict = { operationId: "count-alone", verdict: "done" };
    expect(told(await asker.call("task_resolve", verdict))).toMatchObject({ ...verdict, task: null });
    const { unknown } = told<{ unknown: string[] }>(await asker.call("project_status"));
    expect([unknown, (await asker.call("task_resolve", verdict)).code]).toEqual([[], "MCP_BAD_ARGUMENTS"]);
  });
});
