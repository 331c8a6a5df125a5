import { describe, expect, test } from "vitest";
import { dueAt } from "../../src/core/saving.js";

const LIMITS = { quietMs: 10, everyMs: 50, latestMs: 100 };

describe("a save is due", () => {
  test.each([
    ["never, with nothing changed", { dirtySince: null, changedAt: 0, savedAt: 0 }, null],
    ["once it has been quiet", { dirtySince: 1_000, changedAt: 1_000, savedAt: 0 }, 1_010],
    ["though it is never quiet", { dirtySince: 1_000, changedAt: 1_099, savedAt: 0 }, 1_100],
    ["not sooner after the last than it may", { dirtySince: 1_000, changedAt: 1_000, savedAt: 990 }, 1_040],
  ])("%s", (_what, changes, expected) => {
    expect(dueAt(changes, LIMITS)).toBe(expected);
  });
});
