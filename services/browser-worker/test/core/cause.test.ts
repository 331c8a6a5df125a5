import fc from "fast-check";
import { expect, test } from "vitest";
import { causeOf, type TabWork } from "../../src/core/cause.js";

const work = (operationId: string, tab: string | null, begunAt: number, doneAt: number | null): TabWork<string> => ({
  work: { operationId },
  tab,
  begunAt,
  doneAt,
});
const time = fc.integer({ min: 0, max: 1_000 });

test("what an operation did is its own however late the page tells it, also in the next one's time", () => {
  fc.assert(
    fc.property(time, time, time, fc.boolean(), (begunAt, lasts, after, another) => {
      const ranBefore = work("first", "tab", begunAt, begunAt + lasts);
      const running = another ? work("next", "tab", begunAt + lasts + 1 + after, null) : null;
      expect(causeOf({ running, ranBefore }, "tab", begunAt + Math.floor(lasts / 2))).toBe("first");
    }),
  );
});

test("what a person does between two operations, or in another tab meanwhile, is nobody's", () => {
  fc.assert(
    fc.property(time, time, time, (begunAt, lasts, later) => {
      const ranBefore = work("first", "tab", begunAt, begunAt + lasts);
      expect(causeOf({ running: null, ranBefore }, "tab", begunAt + lasts + 1 + later)).toBeNull();
      expect(causeOf({ running: null, ranBefore }, "tab", begunAt - 1 - later)).toBeNull();
      expect(causeOf({ running: ranBefore, ranBefore: null }, "other", begunAt)).toBeNull();
      expect(causeOf({ running: null, ranBefore }, "other", begunAt)).toBeNull();
    }),
  );
});

test("what is done while an operation runs in the tab is its doing, also before its tab is settled", () => {
  const ranBefore = work("first", "tab", 10, 20);
  expect(causeOf({ running: work("next", "tab", 30, null), ranBefore }, "tab", 40)).toBe("next");
  expect(causeOf({ running: work("next", null, 30, null), ranBefore }, "tab", 40)).toBe("next");
});
