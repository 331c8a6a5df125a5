import { describe, expect, test } from "vitest";
import { confirmed, countOf, differences, type PageThere, type TabHere } from "../../src/core/reconcile.js";

const page = (targetId: string, url = "http://a/", openerId: string | null = null): PageThere => ({
  targetId,
  url,
  openerId,
});
const tab = (tabId: string, targetId: string, url = "http://a/"): TabHere => ({ tabId, targetId, url });
const NONE = { missed: [], gone: [], moved: [] };

describe("the browser's list and ours", () => {
  test.each([
    ["agree", [page("p1")], [tab("t1", "p1")], NONE],
    ["agree, and a person has tabs of his own", [page("p1"), page("p2")], [tab("t1", "p1")], NONE],
    ["agree, and a person's tab has opened another", [page("p2"), page("p3", "http://a/", "p2")], [], NONE],
    ["a tab's page is gone", [page("p2")], [tab("t1", "p1")], { ...NONE, gone: ["t1"] }],
    [
      "a tab has opened a window",
      [page("p1"), page("p2", "", "p1")],
      [tab("t1", "p1")],
      { ...NONE, missed: [page("p2", "", "p1")] },
    ],
    ["a window is known", [page("p1"), page("p2", "http://a/", "p1")], [tab("t1", "p1"), tab("t2", "p2")], NONE],
    [
      "a page is elsewhere",
      [page("p1", "http://b/")],
      [tab("t1", "p1")],
      { ...NONE, moved: [{ tabId: "t1", url: "http://b/" }] },
    ],
    ["a page has no address yet", [page("p1", "")], [tab("t1", "p1")], NONE],
    ["there is nothing", [], [], NONE],
  ])("%s", (_what, pages, tabs, expected) => {
    expect(differences(pages, tabs)).toEqual(expected);
  });

  test("only what two looks saw is put right", () => {
    const first = differences([page("p1", "http://b/"), page("p3", "", "p1")], [tab("t1", "p1"), tab("t2", "p2")]);
    expect(countOf(first)).toBe(3);
    expect(confirmed(NONE, first)).toEqual(NONE);
    expect(confirmed(first, first)).toEqual(first);
    const next = differences([page("p1", "http://c/"), page("p4", "", "p1")], [tab("t1", "p1"), tab("t5", "p5")]);
    expect(confirmed(first, next)).toEqual(NONE);
  });
});
