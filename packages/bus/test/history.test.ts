import type { HistoryEntry } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { provision } from "../src/assets.js";
import { addHistory, readHistory } from "../src/history.js";
import { withBus } from "./support.js";

const { bus } = withBus();

const entry = (operationId: string): HistoryEntry => ({
  at: "2026-01-01T00:00:00.000Z",
  operationId,
  operation: "browser_click",
  caller: "test",
  taskId: null,
  profileId: "default",
  tabId: "t1",
  url: "http://a.example/",
  arguments: { target: "#x" },
  outcome: "done",
  code: null,
  durationMs: 3,
});

describe("the record of a project", () => {
  test("is told to its end, in order, without the other projects'", async () => {
    await provision(bus());
    expect(await readHistory(bus(), "a")).toEqual([]);
    for (const id of ["o1", "o2", "o3"]) await addHistory(bus(), "a", entry(id));
    await addHistory(bus(), "b", entry("o4"));
    await addHistory(bus(), "a", entry("o2"));
    const told = await readHistory(bus(), "a");
    expect(told.map(({ operationId }) => operationId)).toEqual(["o1", "o2", "o3"]);
    expect(told.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(await readHistory(bus(), "c")).toEqual([]);
  });
});
