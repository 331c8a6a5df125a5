import { describe, expect, test } from "vitest";
import { decide } from "../../src/core/decide.js";
import { mayWait } from "../../src/core/ends.js";
import { ENDED_MAX, type ProjectState } from "../../src/core/state.js";
import {
  AT,
  after,
  asked,
  codeOf,
  detailsOf,
  ended,
  endedExecution,
  endedRecord,
  executionOf,
  factsOf,
  idle,
  mutate,
  needsCheck,
  operating,
  pending,
  running,
  start,
  stop,
  working,
} from "./states.js";

const finish = (taskId: string) => ({ input: "finish", taskId, state: "finished", result: "r", at: AT }) as const;
const resolve = (operationId: string, taskId: string | null = "T") =>
  ({ input: "resolve", taskId, operationId, verdict: "done", at: AT }) as const;

describe("a task that starts", () => {
  test("holds the project at its cursor", () => {
    const decision = decide(idle, start("T"));
    expect(decision.next).toMatchObject({ execution: { id: "T", state: "running" }, cursor: idle.cursor });
    expect(factsOf(decision)).toEqual(["execution.moved"]);
  });

  test("in another profile than the cursor's begins with no tab, and that is told", () => {
    const decision = decide(idle, start("T", { profileId: "second" }));
    expect(decision.next.cursor).toBeNull();
    expect(factsOf(decision)).toEqual(["cursor.moved", "execution.moved"]);
  });

  test("again under the same id is the same task", () => {
    const again = decide(running, start("T"));
    expect([again.next, executionOf(again.reply)?.id]).toEqual([running, "T"]);
  });

  test("again after its end is told so, and starts nothing", () => {
    const state = { ...idle, endedExecutions: [endedExecution("T")] };
    expect(codeOf(decide(state, start("T")))).toBe("MCP_TASK_ENDED");
  });

  test("where something else holds the project is refused, and hears what", () => {
    const beside = decide(running, start("U"));
    expect([codeOf(beside), detailsOf(beside).holder]).toMatchObject(["MCP_PROJECT_BUSY", { id: "T" }]);
    const behind = decide(operating, start("U"));
    expect([codeOf(behind), detailsOf(behind).holder]).toMatchObject([
      "MCP_PROJECT_BUSY",
      { kind: "operation", id: "o1" },
    ]);
  });

  test("in a profile that the project has not got is refused", () => {
    expect(codeOf(decide(idle, start("T", { profileId: "elsewhere" })))).toBe("MCP_PROFILE_NOT_FOUND");
  });
});

describe("a task that is finished", () => {
  test("frees the project and is remembered with its result", () => {
    const decision = decide(running, finish("T"));
    expect(decision.next).toMatchObject({
      execution: null,
      endedExecutions: [{ id: "T", state: "finished", result: "r", endedAt: AT }],
    });
  });

  test("with operations of its own still to come is not finished yet", () => {
    const decision = decide(working, finish("T"));
    expect([codeOf(decision), detailsOf(decision).pending]).toEqual(["MCP_PROJECT_BUSY", ["o1", "o2", "o3"]]);
  });

  test("twice is finished once, and the second time tells the first end", () => {
    const once = decide(running, finish("T")).next;
    const twice = decide(once, finish("T"));
    expect([twice.next, executionOf(twice.reply)?.state]).toEqual([once, "finished"]);
  });

  test("under another name touches nothing", () => {
    expect(codeOf(decide(running, finish("U")))).toBe("MCP_TASK_MISMATCH");
    expect(codeOf(decide(idle, finish("U")))).toBe("MCP_TASK_NOT_FOUND");
  });
});

describe("an operation that ends", () => {
  test("makes room, is remembered, and takes the cursor where it went", () => {
    const to = { profileId: "default", tabId: "t2" };
    const decision = decide(working, ended("o1", { cursor: to }));
    expect(decision.next).toMatchObject({ cursor: to, ended: [{ operationId: "o1", outcome: "done" }] });
    expect(decision.next.pending.map((op) => op.operationId)).toEqual(["o2", "o3"]);
    expect(factsOf(decision)).toEqual(["cursor.moved", "operation.ended"]);
  });

  test("leaves the cursor where it is when it took it nowhere", () => {
    expect(factsOf(decide(working, ended("o1")))).toEqual(["operation.ended"]);
    expect(factsOf(decide(working, ended("o1", { cursor: working.cursor })))).toEqual(["operation.ended"]);
  });

  test("twice ends once", () => {
    const once = decide(working, ended("o1")).next;
    const twice = decide(once, ended("o1", { outcome: "failed" }));
    expect([twice.next, twice.effects]).toEqual([once, []]);
  });
});

describe("an operation whose end was not seen", () => {
  const unknown = decide(
    { ...working, pending: working.pending.slice(0, 1) },
    ended("o1", { outcome: "unknown" }),
  ).next;

  test("stops its task from going on until somebody has looked", () => {
    expect(unknown.execution?.state).toBe("needs_check");
    expect(codeOf(decide(unknown, mutate({ taskId: "T" })))).toBe("MCP_TASK_NEEDS_CHECK");
    expect(codeOf(decide(unknown, finish("T")))).toBe("MCP_TASK_NEEDS_CHECK");
    expect(detailsOf(decide(unknown, mutate({ taskId: "T" }))).unknown).toEqual(["o1"]);
  });

  test("stays unknown, with the verdict beside it, and the task goes on", () => {
    const decision = decide(unknown, { ...resolve("o1"), by: "somebody" });
    expect(decision.next).toMatchObject({
      execution: { state: "running" },
      ended: [{ outcome: "unknown", verdict: "done", verdictBy: "somebody", verdictAt: AT }],
    });
    expect(factsOf(decision)).toEqual(["operation.resolved", "execution.moved"]);
  });

  test("gets no verdict by another task's name, nor by an operation that is not in doubt", () => {
    expect(codeOf(decide(unknown, resolve("o1", "U")))).toBe("MCP_TASK_MISMATCH");
    expect(codeOf(decide(unknown, resolve("o2")))).toBe("MCP_BAD_ARGUMENTS");
  });

  test("of a task before does not hold up this one", () => {
    const before = after(unknown, [stop("T"), start("U"), mutate({ taskId: "U", operationId: "u1" })], decide);
    const doubted = decide(before, ended("u1", { taskId: "U", outcome: "unknown" })).next;
    expect(decide(doubted, resolve("u1", "U")).next.execution?.state).toBe("running");
  });

  test("is not forgotten before somebody has looked, however many end after it", () => {
    const many = Array.from({ length: ENDED_MAX + 5 }, (_, i) => pending(`m${i}`, { taskId: "T" }));
    const state: ProjectState = { ...working, pending: [pending("o1", { taskId: "T" }), ...many] };
    const ends = [ended("o1", { outcome: "unknown" }), ...many.map((op) => ended(op.operationId))];
    const over = after(state, ends, decide);
    expect(decide(over, resolve("o1")).next.execution?.state).toBe("running");
    expect(over.ended.length).toBeLessThanOrEqual(ENDED_MAX);
  });

  test("without a task holds nobody up, and gets its verdict without one", () => {
    const lost = decide(operating, ended("o1", { taskId: null, outcome: "unknown" }));
    expect(lost.next).toMatchObject({ execution: null, pending: [] });
    const decision = decide(lost.next, resolve("o1", null));
    expect(decision.next.ended).toMatchObject([{ outcome: "unknown", verdict: "done" }]);
    expect(factsOf(decision)).toEqual(["operation.resolved"]);
    expect(codeOf(decide(decision.next, resolve("o1", null)))).toBe("MCP_BAD_ARGUMENTS");
  });

  test("of a task gets no verdict without its task's name, and one also after the task is over", () => {
    const refusal = decide(unknown, resolve("o1", null));
    expect([codeOf(refusal), detailsOf(refusal)]).toMatchObject(["MCP_TASK_MISMATCH", { current: "T" }]);
    const over = decide(unknown, stop("T")).next;
    const decision = decide(over, resolve("o1"));
    expect(decision.next).toMatchObject({ execution: null, ended: [{ outcome: "unknown", verdict: "done" }] });
    expect([executionOf(decision.reply)?.state, factsOf(decision)]).toEqual(["stopped", ["operation.resolved"]]);
  });

  test("of a task that goes on is told as it is to whoever resolves it late", () => {
    expect(executionOf(decide(running, resolve("o1")).reply)?.id).toBe("T");
    const over = { ...idle, endedExecutions: [endedExecution("T")], ended: [endedRecord("o1")] };
    expect(executionOf(decide(over, resolve("o1")).reply)?.state).toBe("finished");
    expect(codeOf(decide(needsCheck, resolve("o7")))).toBe("MCP_BAD_ARGUMENTS");
  });
});

describe("the end of an operation", () => {
  test("is stored with what comes next where nothing waits for it", () => {
    const alone = { ...running, pending: [pending("o1")] };
    for (const state of [operating, alone]) expect(mayWait(state, ended("o1"))).toBe(true);
  });

  test("is stored at once where its asker, what is queued, a stop, a quit or a verdict waits for it", () => {
    const queue = { ...operating, pending: [pending("o1"), pending("o2")] };
    const stopping = decide(working, stop("T")).next;
    for (const state of [queue, stopping, needsCheck, asked]) expect(mayWait(state, ended("o1"))).toBe(false);
    // What a stop has discarded is not pending, and all that it discarded wait for each other.
    for (const state of [idle, operating]) expect(mayWait(state, ended("discarded"))).toBe(false);
    expect(mayWait(operating, ended("o1", { cursor: null }))).toBe(false);
    expect(mayWait(operating, ended("o1", { outcome: "unknown" }))).toBe(false);
    expect(mayWait(operating, start("T"))).toBe(false);
  });
});
