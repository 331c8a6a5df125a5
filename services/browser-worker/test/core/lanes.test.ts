import type { Admitted, LedgerEntry, OperationOutcome } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { handlingOf, type Lane } from "../../src/core/lanes.js";

const NOW = 1_000;
const lane: Lane = { generation: 2, stopped: new Set(["stopped-task"]), cancelled: new Set(["cancelled"]) };
const what = { operation: "browser_click", operationId: "o1", request: {}, workspaceId: "p", profileId: "default" };
const work: Admitted = {
  ...what,
  tabId: "t1",
  cursorless: false,
  taskId: "T",
  newTab: "report",
  generation: 2,
  fingerprint: "f",
  expiresAt: NOW,
  replyTo: "",
  viewedBy: {},
  caller: "test",
};

function entry(outcome: OperationOutcome): LedgerEntry {
  const whose = { operationId: "o1", operation: "browser_click", fingerprint: "f", taskId: "T", tabId: "t1" };
  return { ...whose, epoch: 1, outcome, at: "", answer: null };
}

describe("a mutation that is handed out", () => {
  test("for the first time is run", () => {
    expect(handlingOf(work, null, lane, NOW)).toBe("run");
    expect(handlingOf({ ...work, taskId: null }, null, lane, NOW)).toBe("run");
  });

  test("again, after it was begun and not seen to end, is unknown and never run", () => {
    expect(handlingOf(work, entry("running"), lane, NOW)).toBe("unknown");
  });

  test.each(["done", "failed", "refused", "stopped", "unknown"] as const)(
    "again, after it was %s, is only acknowledged",
    (outcome) => {
      expect(handlingOf(work, entry(outcome), lane, NOW)).toBe("acknowledge");
    },
  );

  test("and was queued before a stop is discarded", () => {
    expect(handlingOf({ ...work, generation: 1 }, null, lane, NOW)).toBe("discard");
    expect(handlingOf({ ...work, generation: 3 }, null, lane, NOW)).toBe("run");
  });

  test("of an execution that was stopped is discarded, at whatever generation", () => {
    expect(handlingOf({ ...work, taskId: "stopped-task", generation: 9 }, null, lane, NOW)).toBe("discard");
  });

  test("and waited too long expires, unless a stop came first", () => {
    expect(handlingOf(work, null, lane, NOW + 1)).toBe("expire");
    expect(handlingOf({ ...work, generation: 1 }, null, lane, NOW + 1)).toBe("discard");
  });

  test("is what the ledger says before anything else: a stop cannot make undone what was begun", () => {
    expect(handlingOf({ ...work, generation: 1 }, entry("running"), lane, NOW + 1)).toBe("unknown");
    expect(handlingOf({ ...work, taskId: "stopped-task" }, entry("done"), lane, NOW)).toBe("acknowledge");
  });
});
