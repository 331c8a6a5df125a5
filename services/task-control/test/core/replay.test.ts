import { describe, expect, test } from "vitest";
import { decide } from "../../src/core/decide.js";
import { replay, type Step } from "../../src/core/replay.js";
import { AT, idle } from "./states.js";

const start = {
  at: AT,
  input: "start",
  kind: "task",
  id: "T",
  profileId: "default",
  goal: "",
  owner: "me",
  newTab: null,
} as const;
const finish = { at: AT, input: "finish", taskId: "T", state: "finished", result: null } as const;
const running = decide(idle, start).next;
const finished = decide(running, finish).next;
const steps: readonly Step[] = [
  { before: idle, inputs: [start], after: running },
  { inputs: [finish], after: finished },
];

describe("a recorded history", () => {
  test("gives the same states again", () => {
    expect(replay(steps)).toEqual([]);
  });

  test("tells where it does not, and in what", () => {
    const other = { ...finished, generation: 9 };
    expect(replay([...steps.slice(0, 1), { inputs: [finish], after: other }])).toMatchObject([
      { step: 1, why: expect.stringContaining("generation is 0 and was 9") },
    ]);
  });

  test("must say what it begins with", () => {
    expect(replay([{ inputs: [start], after: running }])).toMatchObject([{ step: 0 }]);
  });
});
