import { describe, expect, test } from "vitest";
import { type Awake, sleepers } from "../../src/core/sleeping.js";

const LIMITS = {
  perProject: 2,
  perWorker: 4,
  idleMs: 10_000,
  restMs: 100,
  contextIdleMs: 5_000,
  memoryBytes: 1_000,
  memoryStep: 2,
};
const NOW = 100_000;
const tab = (workspaceId: string, tabId: string, agoMs: number, free = true): Awake => ({
  workspaceId,
  tabId,
  usedAt: NOW - agoMs,
  free,
});
const chosen = (awake: readonly Awake[], memoryBytes: number | null = null): string[] =>
  sleepers(awake, { now: NOW, memoryBytes }, LIMITS).map(({ tab: { tabId }, why }) => `${tabId} ${why}`);

describe("the tabs that go to sleep", () => {
  test("are none within the limits", () => {
    expect(chosen([tab("a", "t1", 500), tab("a", "t2", 9_000)])).toEqual([]);
  });

  test("are those that were not used for long", () => {
    expect(chosen([tab("a", "t1", 20_000), tab("a", "t2", 500)])).toEqual(["t1 idle"]);
  });

  test("are the oldest of a project, and of a worker, that has too many", () => {
    expect(chosen([tab("a", "t1", 300), tab("a", "t2", 900), tab("a", "t3", 600)])).toEqual(["t2 project"]);
    const many = ["t1", "t2", "t3", "t4", "t5"].map((id, place) => tab(id, id, 1_000 - place));
    expect(chosen(many)).toEqual(["t1 worker"]);
  });

  test("are never those that are in use, or were just now", () => {
    const awake = [tab("a", "t1", 900, false), tab("a", "t2", 50), tab("a", "t3", 600)];
    expect(chosen(awake)).toEqual(["t3 project"]);
    expect(chosen([tab("a", "t1", 900_000, false)])).toEqual([]);
  });

  test("are a few more when memory is short", () => {
    const awake = [tab("a", "t1", 500), tab("b", "t2", 400), tab("c", "t3", 300)];
    expect(chosen(awake, 2_000)).toEqual(["t1 memory", "t2 memory"]);
    expect(chosen(awake, 900)).toEqual([]);
  });
});
