import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Reconciler } from "../../src/attached/reconciler.js";
import { EMPTY_POLLS_BEFORE_TAB_CHECK, LINK_ANSWER_MS, POLL_INTERVAL_MS } from "../../src/limits.js";
import type { Project } from "../../src/project.js";
import type { PageSeen, Targets } from "../../src/tabs/targets.js";

/** ms of silence before the real list is looked at. */
const QUIET_MS = POLL_INTERVAL_MS * EMPTY_POLLS_BEFORE_TAB_CHECK;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const page = (targetId: string, url: string, openerId: string | null = null): PageSeen => ({
  ...{ targetId, url, openerId },
  ...{ contextId: "c1", title: "" },
});

/** A browser with these pages, and a project with one tab at the first of them. */
function scene(list: () => Promise<readonly PageSeen[]>) {
  const targets = { heard: 0, list: vi.fn(list) };
  const done: string[] = [];
  const tab = {
    ...{ id: "t1", targetId: "p1", live: {}, record: { url: "http://a/" } },
    change: ({ url }: { url: string }) => {
      tab.record.url = url;
      done.push(`moved ${url}`);
    },
    close: () => {
      done.push("closed");
      project.open = [];
      return Promise.resolve();
    },
  };
  const project = {
    open: [tab],
    tab: () => tab,
    arrivals: { missed: ({ targetId }: PageSeen) => void done.push(`missed ${targetId}`) },
  };
  const linkLost = vi.fn();
  const faults: unknown[] = [];
  const reconciler = new Reconciler({
    targets: targets as unknown as Targets,
    projects: () => [project as unknown as Project],
    linkLost,
    onFault: (thrown) => void faults.push(thrown),
  });
  return { targets, done, linkLost, faults, reconciler, stop: reconciler.start() };
}

describe("a person's browser", () => {
  test("is looked at only after ten polls that heard nothing", async () => {
    const { targets, reconciler, stop } = scene(() => Promise.resolve([page("p1", "http://a/")]));
    await vi.advanceTimersByTimeAsync(QUIET_MS - POLL_INTERVAL_MS);
    targets.heard += 1;
    await vi.advanceTimersByTimeAsync(QUIET_MS - POLL_INTERVAL_MS);
    expect(targets.list).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(POLL_INTERVAL_MS);
    expect([targets.list.mock.calls.length, reconciler.repairs]).toEqual([1, 0]);
    stop();
    await vi.advanceTimersByTimeAsync(2 * QUIET_MS);
    expect(targets.list).toHaveBeenCalledOnce();
  });

  test("is put right where two looks in a row differ, and each repair is counted once", async () => {
    const there = [page("p1", "http://b/"), page("p2", "http://c/", "p1"), page("p9", "http://persons/")];
    const { done, reconciler, faults } = scene(() => Promise.resolve(there));
    await vi.advanceTimersByTimeAsync(QUIET_MS);
    expect([done, reconciler.repairs]).toEqual([[], 0]);
    await vi.advanceTimersByTimeAsync(POLL_INTERVAL_MS);
    expect([done, reconciler.repairs, faults]).toEqual([["moved http://b/", "missed p2"], 2, []]);
  });

  test("a tab without a page is closed", async () => {
    const { done, reconciler } = scene(() => Promise.resolve([page("p7", "http://other/")]));
    await vi.advanceTimersByTimeAsync(2 * QUIET_MS);
    expect([done, reconciler.repairs]).toEqual([["closed"], 1]);
  });

  test("that lists nothing in its time has lost its link, within 10 s of silence", async () => {
    const { linkLost } = scene(() => new Promise(() => undefined));
    await vi.advanceTimersByTimeAsync(QUIET_MS + LINK_ANSWER_MS);
    expect(linkLost).toHaveBeenCalledOnce();
    expect(QUIET_MS + LINK_ANSWER_MS).toBeLessThan(10_000);
  });
});
