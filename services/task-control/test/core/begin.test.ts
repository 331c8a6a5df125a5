import { describe, expect, test } from "vitest";
import { mayBegin } from "../../src/core/begin.js";
import { decide } from "../../src/core/decide.js";
import {
  after,
  codeOf,
  ended,
  execution,
  idle,
  mutate,
  needsCheck,
  operating,
  pending,
  stop,
  working,
} from "./states.js";

const queuedBehind = { ...needsCheck, pending: [pending("o2", { taskId: "T" })] };

describe("an operation that waited in the queue", () => {
  test.each([
    ["is still its project's", working, "o2", "go"],
    ["has no task", operating, "o1", "go"],
    ["was never admitted, or is no more", idle, "o1", "drop"],
    ["was discarded by a stop", after(working, [stop("T")], decide), "o2", "drop"],
    ["belongs to what is being stopped", after(working, [stop("T")], decide), "o1", "drop"],
    ["stands behind one whose end was not seen", queuedBehind, "o2", "wait"],
  ])("that %s", (_what, state, operationId, may) => {
    expect(mayBegin(state, operationId)).toBe(may);
  });

  test("goes on once somebody has said what he found", () => {
    const lost = decide(working, ended("o1", { outcome: "unknown" })).next;
    expect(mayBegin(lost, "o2")).toBe("wait");
    const resolve = {
      input: "resolve",
      at: "2026-01-01T00:00:01.000Z",
      taskId: "T",
      operationId: "o1",
      verdict: "done",
    } as const;
    expect(mayBegin(decide(lost, resolve).next, "o2")).toBe("go");
  });
});

describe("the same operation asked for again", () => {
  const again = mutate({ operationId: "o2", fingerprint: "f:o2", taskId: "T" });

  test.each([
    ["while it waits for a verdict on the one before it", queuedBehind],
    [
      "while its task is being stopped",
      { ...working, execution: execution({ state: "stopping" }), pending: [pending("o2", { taskId: "T" })] },
    ],
  ])("%s is joined, and not refused: it may still be begun, or has been", (_when, state) => {
    expect(decide(state, again).reply).toEqual({ reply: "attached" });
    expect(codeOf(decide(state, mutate({ ...again, fingerprint: "other" })))).toBe("MCP_OPERATION_CONFLICT");
    expect(codeOf(decide(state, mutate({ taskId: "T", operationId: "o7" })))).not.toBeNull();
  });
});
