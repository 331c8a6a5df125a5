import { describe, expect, test } from "vitest";
import { decide } from "../../src/core/decide.js";
import type { InputOf } from "../../src/core/inputs.js";
import { type ProjectState, phaseOf } from "../../src/core/state.js";
import { AT, codeOf, ended, execution, factsOf, idle, mutate, pending, read, running, start, stop } from "./states.js";

const going: ProjectState = { ...idle, execution: execution({ kind: "program", id: "R" }) };
const standing: ProjectState = {
  ...idle,
  execution: execution({ kind: "program", id: "R", state: "waiting_for_decision" }),
};
const ask = (executionId: string): InputOf<"ask"> => ({ input: "ask", at: AT, executionId });
const answered = (executionId: string): InputOf<"answered"> => ({ input: "answered", at: AT, executionId });

describe("a run that cannot go on", () => {
  test("stands until somebody decides, and says so", () => {
    const asked = decide(going, ask("R"));
    expect(phaseOf(asked.next, AT)).toBe("waiting_for_decision");
    expect(factsOf(asked)).toEqual(["execution.moved"]);
    const on = decide(asked.next, answered("R"));
    expect(on.next.execution?.state).toBe("running");
    expect(factsOf(on)).toEqual(["execution.moved"]);
  });

  test("asks twice and is answered twice as if it were once", () => {
    expect(decide(standing, ask("R"))).toMatchObject({ next: standing, effects: [] });
    expect(decide(going, answered("R"))).toMatchObject({ next: going, effects: [] });
  });

  test("holds the project: reads are answered, its own work goes on, and nobody else's does", () => {
    expect(codeOf(decide(standing, read(null)))).toBeNull();
    expect(codeOf(decide(standing, read("t2")))).toBe("MCP_TARGET_TAB_BUSY");
    expect(codeOf(decide(standing, mutate({ taskId: "R" })))).toBeNull();
    expect(codeOf(decide(standing, mutate()))).toBe("MCP_PROJECT_BUSY");
    expect(codeOf(decide(standing, start("T")))).toBe("MCP_PROJECT_BUSY");
    const quit = { input: "quit_ask", at: AT, quitId: "q" } as const;
    expect(codeOf(decide(standing, quit))).toBe("MCP_BACKGROUND_PROJECT_RUNNING");
  });

  test("is stopped by its own id, at once, and by no other", () => {
    const stopped = decide(standing, stop("R"));
    expect(stopped.next).toMatchObject({ execution: null, endedExecutions: [{ id: "R", state: "stopped" }] });
    expect(codeOf(decide(standing, stop("T")))).toBe("MCP_TASK_MISMATCH");
    expect(codeOf(decide(standing, stop("R", "second")))).toBe("MCP_TASK_MISMATCH");
  });

  test("needs a check when work in its name began and was not seen to end", () => {
    const helped = { ...standing, pending: [pending("o1", { taskId: "R" })] };
    const unsure = decide(helped, ended("o1", { taskId: "R", outcome: "unknown" }));
    expect(unsure.next.execution?.state).toBe("needs_check");
  });

  test("is no task, and is not another run", () => {
    expect(codeOf(decide(running, ask("T")))).toBe("MCP_BAD_ARGUMENTS");
    expect(codeOf(decide(going, ask("S")))).toBe("MCP_TASK_MISMATCH");
    expect(codeOf(decide(standing, answered("S")))).toBe("MCP_TASK_MISMATCH");
  });
});
