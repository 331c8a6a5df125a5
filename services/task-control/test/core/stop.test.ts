import { describe, expect, test } from "vitest";
import { decide } from "../../src/core/decide.js";
import type { ProjectState } from "../../src/core/state.js";
import {
  AT,
  after,
  closed,
  closing,
  codeOf,
  detailsOf,
  effectsOf,
  ended,
  endedExecution,
  executionOf,
  factsOf,
  idle,
  mutate,
  needsCheck,
  operating,
  running,
  start,
  stop,
  stopSeen,
  working,
} from "./states.js";

const interrupted = { operationId: "o1", outcome: "running" } as const;
const stopping = decide(working, stop("T")).next;
const stopped: ProjectState = { ...idle, endedExecutions: [endedExecution("T", { state: "stopped" })] };

describe("a stop", () => {
  test("orders the abort before anything is told, and discards what was not begun", () => {
    const decision = decide(working, stop("T"));
    expect(effectsOf(decision)).toEqual(["abort", "tell"]);
    expect(decision.next.execution?.state).toBe("stopping");
    expect(decision.next.pending.map((op) => op.operationId)).toEqual(["o1"]);
    expect(executionOf(decision.reply)?.cut).toEqual({ interrupted: null, discarded: 2 });
  });

  test("raises the generation, so that what was queued before it is not begun after it", () => {
    expect(decide(working, stop("T")).next.generation).toBe(working.generation + 1);
  });

  test("of a task with nothing under way ends it at once", () => {
    const decision = decide(running, stop("T"));
    expect(decision.next.execution).toBeNull();
    expect(executionOf(decision.reply)).toMatchObject({ state: "stopped", endedAt: AT });
    expect(effectsOf(decision)).toEqual(["abort", "tell"]);
  });

  test("of a task that needs a check ends it too", () => {
    expect(decide(needsCheck, stop("T")).next).toMatchObject({
      execution: null,
      endedExecutions: [{ state: "stopped" }],
    });
  });

  test("frees the project for the next task", () => {
    const free = after(working, [stop("T"), stopSeen("T", null)], decide);
    expect(decide(free, start("U")).next.execution?.id).toBe("U");
  });
});

describe("a stop that does not name the execution", () => {
  test.each([
    ["another task", stop("U"), "MCP_TASK_MISMATCH", "taskId"],
    ["another profile", stop("T", "second"), "MCP_TASK_MISMATCH", "profileId"],
  ])("by %s is refused, names the field and touches nothing", (_what, input, code, field) => {
    for (const state of [working, stopping, needsCheck]) {
      const decision = decide(state, input);
      expect([codeOf(decision), detailsOf(decision).field]).toEqual([code, field]);
      expect([decision.next, decision.effects]).toEqual([state, []]);
    }
  });

  test.each([
    ["idle", idle],
    ["operating", operating],
    ["closed", closed],
    ["closing", closing],
  ])("is MCP_TASK_NOT_FOUND where there never was such a task: %s", (_phase, state) => {
    expect(codeOf(decide(state, stop("U")))).toBe("MCP_TASK_NOT_FOUND");
  });
});

describe("a stop that comes late or again", () => {
  test("after the end tells how the task ended, and changes nothing", () => {
    for (const state of [
      stopped,
      {
        ...working,
        execution: { ...running.execution, id: "U" } as never,
        pending: [],
        endedExecutions: stopped.endedExecutions,
      },
    ]) {
      const decision = decide(state, stop("T"));
      expect(executionOf(decision.reply)).toMatchObject({ id: "T", state: "stopped" });
      expect([decision.next, decision.effects]).toEqual([state, []]);
    }
  });

  test("after the end with another profile is a mismatch", () => {
    expect(codeOf(decide(stopped, stop("T", "second")))).toBe("MCP_TASK_MISMATCH");
  });

  test("while it goes on only repeats the order: the first one stands", () => {
    const again = decide(stopping, stop("T"));
    expect([again.next, effectsOf(again)]).toEqual([stopping, ["abort"]]);
    expect(executionOf(again.reply)?.cut?.discarded).toBe(2);
  });

  test("and again, ends the execution exactly once", () => {
    const inputs = [
      stop("T"),
      stop("T"),
      stopSeen("T", interrupted),
      stop("T"),
      ended("o1", { outcome: "stopped" }),
      stop("T"),
      stopSeen("T", interrupted),
      stop("T"),
    ];
    let state = working;
    const ends: string[] = [];
    for (const input of inputs) {
      const decision = decide(state, input);
      for (const effect of decision.effects) {
        if (effect.effect === "tell" && effect.fact.fact === "execution.moved" && effect.fact.state === "stopped")
          ends.push(effect.fact.id);
      }
      state = decision.next;
    }
    expect(ends).toEqual(["T"]);
    expect(state.endedExecutions.map((execution) => execution.id)).toEqual(["T"]);
  });
});

describe("what the worker says to a stop", () => {
  test("something was under way: the execution ends with it, and both are told", () => {
    const seen = decide(stopping, stopSeen("T", interrupted));
    expect(executionOf(seen.reply)).toMatchObject({ state: "stopping", cut: { interrupted, discarded: 2 } });
    const over = decide(seen.next, ended("o1", { outcome: "stopped" }));
    expect(factsOf(over)).toEqual(["operation.ended", "execution.moved"]);
    expect(over.next).toMatchObject({ execution: null, pending: [], endedExecutions: [{ id: "T", state: "stopped" }] });
    expect(over.next.endedExecutions[0]?.cut).toEqual({
      interrupted: { operationId: "o1", outcome: "stopped" },
      discarded: 2,
    });
  });

  test("nothing was under way: the first was never begun, and counts as discarded", () => {
    const seen = decide(stopping, stopSeen("T", null));
    expect(executionOf(seen.reply)).toMatchObject({ state: "stopped", cut: { interrupted: null, discarded: 3 } });
    expect(seen.next.pending).toEqual([]);
  });

  test("comes after the end: nothing changes", () => {
    const over = after(stopping, [ended("o1", { outcome: "done" })], decide);
    expect(decide(over, stopSeen("T", interrupted)).next).toBe(over);
  });

  test("is about an execution before this one: nothing changes", () => {
    expect(decide(stopping, stopSeen("U", null)).next).toBe(stopping);
  });
});

describe("a stop against a completion", () => {
  test("that comes first leaves nothing to cut, and the task is stopped all the same", () => {
    const done = after({ ...working, pending: working.pending.slice(0, 1) }, [ended("o1")], decide);
    expect(executionOf(decide(done, stop("T")).reply)).toMatchObject({ state: "stopped", cut: { discarded: 0 } });
  });

  test("that comes second keeps the outcome that was seen: what was done is not called stopped", () => {
    const over = decide(stopping, ended("o1", { outcome: "done" }));
    expect(over.next.ended[0]).toMatchObject({ operationId: "o1", outcome: "done" });
    expect(over.next.endedExecutions[0]).toMatchObject({
      state: "stopped",
      cut: { interrupted: { operationId: "o1", outcome: "done" } },
    });
  });

  test("of an operation that the stop discarded is no end", () => {
    expect(decide(stopping, ended("o3", { outcome: "stopped" })).next).toBe(stopping);
  });

  test("leaves nothing of the task to be admitted", () => {
    expect(codeOf(decide(stopping, mutate({ taskId: "T" })))).toBe("MCP_STOPPED");
  });
});
