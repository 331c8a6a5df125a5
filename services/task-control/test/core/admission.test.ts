import { describe, expect, test } from "vitest";
import { PENDING_MAX } from "../../src/core/admission.js";
import { decide } from "../../src/core/decide.js";
import type { Input } from "../../src/core/inputs.js";
import type { ProjectState } from "../../src/core/state.js";
import {
  asked,
  closed,
  closing,
  codeOf,
  detailsOf,
  effectsOf,
  endedExecution,
  execution,
  idle,
  mutate,
  needsCheck,
  operating,
  pending,
  read,
  running,
  stop,
  working,
} from "./states.js";

const ADMITTED = "admitted";
const stopping: ProjectState = {
  ...working,
  execution: execution({ state: "stopping" }),
  pending: working.pending.slice(0, 1),
};
const other = { tabId: "t2", tabKnown: "known" } as const;
const foreign = { tabId: "t9", tabKnown: "unknown" } as const;
const ofT = { taskId: "T" };

/** The table of design section 4, row by row: the state, the request, and what the asker is told. */
const rows: readonly (readonly [string, ProjectState, Input, string])[] = [
  ["idle: a read of the cursor", idle, read(null), ADMITTED],
  ["idle: a read of another tab", idle, read("t2"), ADMITTED],
  ["idle: a change at the cursor", idle, mutate(), ADMITTED],
  ["idle: a change of another tab", idle, mutate(other), ADMITTED],
  ["idle: a select", idle, mutate({ ...other, selectsTab: true }), ADMITTED],
  ["idle: a change for a task that never was", idle, mutate(ofT), "MCP_TASK_NOT_FOUND"],
  ["held: a change of the task, with no tab", running, mutate(ofT), ADMITTED],
  ["held: a change of the task, at the cursor's tab", running, mutate({ ...ofT, tabId: "t1" }), ADMITTED],
  ["held: a change of the task, at another tab", running, mutate({ ...ofT, ...other }), "MCP_TARGET_TAB_BUSY"],
  ["held: a select of the task", running, mutate({ ...ofT, ...other, selectsTab: true }), ADMITTED],
  ["held: a new tab of the task", running, mutate({ ...ofT, ofProject: true }), ADMITTED],
  ["held: a read with no tab", running, read(null), ADMITTED],
  ["held: a read of the cursor's tab", running, read("t1"), ADMITTED],
  ["held: a read of another tab", running, read("t2"), "MCP_TARGET_TAB_BUSY"],
  ["held: a read of another project's tab", running, read("t9", { tabKnown: "unknown" }), "MCP_TAB_NOT_FOUND"],
  ["held: a read of the tabs as a whole", running, read(null, { ofProject: true }), ADMITTED],
  ["held: a change without the task", running, mutate(), "MCP_PROJECT_BUSY"],
  ["held: a select without the task", running, mutate({ ...other, selectsTab: true }), "MCP_PROJECT_BUSY"],
  ["held: a change of another tab without the task", running, mutate(other), "MCP_TARGET_TAB_BUSY"],
  ["held: a change for another task", running, mutate({ taskId: "U" }), "MCP_PROJECT_BUSY"],
  ["held: a change of another project's tab", running, mutate({ ...ofT, ...foreign }), "MCP_TAB_NOT_FOUND"],
  [
    "held: a select of another project's tab",
    running,
    mutate({ ...ofT, ...foreign, selectsTab: true }),
    "MCP_TAB_NOT_FOUND",
  ],
  ["an operation alone: another waits behind it", operating, mutate(), ADMITTED],
  ["an operation alone: a change of another tab", operating, mutate(other), "MCP_TARGET_TAB_BUSY"],
  ["an operation alone: a read of its tab", operating, read("t1"), ADMITTED],
  ["an operation alone: a read of another tab", operating, read("t2"), "MCP_TARGET_TAB_BUSY"],
  ["an operation alone: a change for a task", operating, mutate(ofT), "MCP_TASK_NOT_FOUND"],
  ["needs_check: a read of the cursor", needsCheck, read(null), ADMITTED],
  ["needs_check: a read of another tab", needsCheck, read("t2"), "MCP_TARGET_TAB_BUSY"],
  ["needs_check: a change of the task", needsCheck, mutate(ofT), "MCP_TASK_NEEDS_CHECK"],
  ["needs_check: a change without the task", needsCheck, mutate(), "MCP_TASK_NEEDS_CHECK"],
  ["stopping: a read of the cursor", stopping, read(null), ADMITTED],
  ["stopping: a change of the task", stopping, mutate(ofT), "MCP_STOPPED"],
  ["stopping: a change without the task", stopping, mutate(), "MCP_PROJECT_BUSY"],
  ["closed: a read", closed, read(null), "MCP_PROJECT_NOT_FOUND"],
  ["closed: a change", closed, mutate(), "MCP_PROJECT_NOT_FOUND"],
  ["asked to quit: a read", asked, read("t2"), ADMITTED],
  ["asked to quit: a change waits for the verdict", asked, mutate(), "wait"],
  ["asked to quit, and closed: a read", { ...asked, open: false }, read(null), "MCP_PROJECT_NOT_FOUND"],
  ["closing: a read", closing, read(null), "MCP_CLOSING"],
  ["closing: a change", closing, mutate(), "MCP_CLOSING"],
  ["anything: a stop is answered at once", working, stop("T"), "execution"],
];

describe("admission", () => {
  test.each(rows)("%s", (_row, state, input, told) => {
    const decision = decide(state, input);
    expect(codeOf(decision) ?? decision.reply.reply).toBe(told);
    expect(decision.next.cursor).toEqual(state.cursor);
    if (codeOf(decision) !== null) expect([decision.next, decision.effects]).toEqual([state, []]);
  });

  test("a refusal for another tab names the cursor, the tab that is held and the one that was asked for", () => {
    const details = detailsOf(decide(running, read("t2")));
    expect(details).toMatchObject({
      workspaceId: "p",
      cursor: { workspaceId: "p", profileId: "default", tabId: "t1" },
      heldTabId: "t1",
      tabId: "t2",
      holder: { kind: "task", id: "T", owner: "agent" },
    });
  });

  test("a refusal for the lack of the task names who holds the project, and since when", () => {
    const details = detailsOf(decide(running, mutate()));
    expect(details).toMatchObject({ holder: { kind: "task", id: "T", since: running.execution?.since } });
  });

  test("a task that was stopped gets MCP_STOPPED for what it still sends, one that ended MCP_TASK_ENDED", () => {
    const stopped = { ...idle, endedExecutions: [endedExecution("T", { state: "stopped" })] };
    const finished = { ...idle, endedExecutions: [endedExecution("T")] };
    expect(codeOf(decide(stopped, mutate(ofT)))).toBe("MCP_STOPPED");
    expect(codeOf(decide(finished, mutate(ofT)))).toBe("MCP_TASK_ENDED");
  });

  test("a profile that the project has not got is MCP_PROFILE_NOT_FOUND", () => {
    expect(codeOf(decide(idle, mutate({ profileId: "elsewhere" })))).toBe("MCP_PROFILE_NOT_FOUND");
    for (const state of [idle, running]) {
      expect(codeOf(decide(state, read(null, { profileId: "elsewhere" })))).toBe("MCP_PROFILE_NOT_FOUND");
    }
    expect(decide(idle, mutate({ profileId: "second" })).reply).toMatchObject({
      reply: "admitted",
      profileId: "second",
    });
  });

  test("what is admitted is queued behind what waits already, once", () => {
    const decision = decide(working, mutate(ofT));
    expect(decision.next.pending.map((op) => op.operationId)).toEqual(["o1", "o2", "o3", "o9"]);
    expect(effectsOf(decision)).toEqual(["enqueue"]);
  });

  test("the same operation again joins the first, with other arguments it is a conflict", () => {
    const again = decide(working, mutate({ ...ofT, operationId: "o2", fingerprint: "f:o2" }));
    expect([again.reply.reply, again.next, again.effects]).toEqual(["attached", working, []]);
    const conflict = decide(working, mutate({ ...ofT, operationId: "o2", fingerprint: "another" }));
    expect(codeOf(conflict)).toBe("MCP_OPERATION_CONFLICT");
  });

  test("a queue that is full refuses, and says how many wait", () => {
    const many = Array.from({ length: PENDING_MAX }, (_, i) => pending(`q${i}`));
    const decision = decide({ ...idle, pending: many }, mutate());
    expect([codeOf(decision), detailsOf(decision).queued]).toEqual(["MCP_QUEUE_FULL", PENDING_MAX]);
  });
});
