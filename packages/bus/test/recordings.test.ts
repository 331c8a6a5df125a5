import { NO_COVERAGE, type RecordedStep, type RecordingHeader } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { openRecordings, RECORDINGS_PER_PROJECT_MAX } from "../src/recordings.js";
import { withBus } from "./support.js";

const { bus, another } = withBus();

function header(recordingId: string, changes: Partial<RecordingHeader> = {}): RecordingHeader {
  const times = { since: "", stoppedAt: null, seenAt: "", pausedAt: null };
  const what = {
    recordingId,
    workspaceId: "p",
    name: "",
    state: "recording" as const,
    steps: 0,
    completeness: NO_COVERAGE,
  };
  return { ...what, ...times, begunAt: [], cursorTabId: null, ...changes };
}

const step = (url: string): RecordedStep => ({
  at: "",
  tabId: "t1",
  cause: null,
  action: { do: "navigate", url, how: "asked" },
});

describe("recordings", () => {
  test("are begun by one of those who want to at once", async () => {
    const both = await Promise.all([openRecordings(bus()), openRecordings(await another("other"))]);
    const begin = (store: (typeof both)[0], id: string) =>
      store.change("race", (list) => (list.some(({ state }) => state === "recording") ? null : [header(id), ...list]));
    const lists = await Promise.all([...both, ...both].map((store, place) => begin(store, `r${place}`)));
    expect(new Set(lists.map((list) => list[0]?.recordingId)).size).toBe(1);
  });

  test("are read chunk by chunk, in order, the last as it was written last", async () => {
    const store = await openRecordings(bus());
    const place = { workspaceId: "p", recordingId: "chunks" };
    for (let chunk = 0; chunk < 12; chunk += 1) await store.write({ ...place, chunk }, [step(`${chunk}`)]);
    await store.write({ ...place, chunk: 11 }, [step("11"), step("12")]);
    const { steps, chunks } = await store.read("p", "chunks");
    expect(chunks).toBe(12);
    expect(steps.map(({ action }) => action.do === "navigate" && action.url)).toEqual(
      Array.from({ length: 13 }, (_, n) => `${n}`),
    );
  });

  test("are bounded: the oldest goes, with its steps", async () => {
    const store = await openRecordings(bus());
    await store.write({ workspaceId: "full", recordingId: "r0", chunk: 0 }, [step("old")]);
    for (let count = 0; count <= RECORDINGS_PER_PROJECT_MAX; count += 1)
      await store.change("full", (list) => [header(`r${count}`, { workspaceId: "full", state: "stopped" }), ...list]);
    const list = await store.list("full");
    expect([list.length, list.at(-1)?.recordingId]).toEqual([RECORDINGS_PER_PROJECT_MAX, "r1"]);
    expect((await store.read("full", "r0")).steps).toEqual([]);
  });
});
