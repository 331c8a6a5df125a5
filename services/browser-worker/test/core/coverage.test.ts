import { NO_COVERAGE, type RecordingGap } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { documentSeen, GAPS_MAX, gapSeen, injectedAgain, refused, tabSeen } from "../../src/core/coverage.js";
import { fits } from "../../src/core/fits.js";

const gap = (to: string): RecordingGap => ({ from: "a", to, tabId: null, why: "worker_lost", note: "" });

describe("what a recording covers", () => {
  test("is counted by tab and by document", () => {
    const seen = documentSeen(documentSeen(tabSeen(tabSeen(NO_COVERAGE, "t1"), "t2"), "t1"), "t1");
    expect(seen).toMatchObject({ complete: true, documents: 2, injections: 2 });
    expect(seen.tabs).toEqual([
      { tabId: "t1", documents: 2 },
      { tabId: "t2", documents: 0 },
    ]);
    expect(tabSeen(seen, "t1")).toBe(seen);
    expect(injectedAgain(seen).reinjections).toBe(1);
  });

  test("is not complete with a gap, or with something that was refused", () => {
    expect(gapSeen(NO_COVERAGE, gap("b"))).toMatchObject({ complete: false, gaps: [gap("b")] });
    expect(refused(NO_COVERAGE)).toMatchObject({ complete: false, refused: 1 });
  });

  test("names a bounded number of gaps, the last of which reaches to the end", () => {
    let seen = NO_COVERAGE;
    for (let count = 0; count < GAPS_MAX + 10; count += 1) seen = gapSeen(seen, gap(String(count)));
    expect(seen.gaps).toHaveLength(GAPS_MAX);
    expect(seen.gaps.at(-1)?.to).toBe(String(GAPS_MAX + 9));
  });
});

describe("what a locator finds", () => {
  const button = { tag: "button", role: "button", name: "Pay", text: "Pay" };
  test.each([
    ["by a name that somebody gave, whatever it is", { by: "testId", value: "pay" }, { tag: "a", text: "Other" }, true],
    ["by an id, of the same kind", { by: "css", value: "#pay" }, { tag: "button", text: "Other" }, true],
    ["by an id, of another kind", { by: "css", value: "#pay" }, { tag: "div", text: "Pay" }, false],
    [
      "by its place, with the same text",
      { by: "css", value: "ul > li > button" },
      { tag: "button", text: "Pay" },
      true,
    ],
    [
      "by its place, with another text",
      { by: "css", value: "ul > li > button" },
      { tag: "button", text: "Cancel" },
      false,
    ],
  ] as const)("fits %s", (_how, locator, now, expected) => {
    expect(fits(locator, button, now)).toBe(expected);
  });

  test("fits by any locator where nothing was recorded of the element", () => {
    expect(fits({ by: "css", value: "a > b" }, undefined, { tag: "b", text: "" })).toBe(true);
  });
});
