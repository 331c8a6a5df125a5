import { tabState } from "@holdfast/protocol";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nextTabState, type TabEvent } from "../../src/core/tab-life.js";

const EVENTS: readonly TabEvent[] = ["load", "loaded", "sleep", "crash", "close"];
const events = fc.array(fc.constantFrom(...EVENTS), { maxLength: 20 });

describe("a tab's life", () => {
  test.each([
    ["loading", "loaded", "ready"],
    ["ready", "load", "loading"],
    ["ready", "sleep", "sleeping"],
    ["ready", "crash", "crashed"],
    ["sleeping", "load", "loading"],
    ["crashed", "load", "loading"],
  ] as const)("leads from %s by %s to %s", (from, event, to) => {
    expect(nextTabState(from, event)).toBe(to);
  });

  test("has a next state for everything that can happen in every state", () => {
    for (const state of tabState.options) {
      for (const event of EVENTS) expect(tabState.options).toContain(nextTabState(state, event));
    }
  });

  test("ends when it is closed, whatever comes after", () => {
    fc.assert(
      fc.property(events, events, (before, after) => {
        const life = [...before, "close" as const, ...after];
        expect(life.reduce(nextTabState, "loading")).toBe("closed");
      }),
    );
  });

  test("what is late changes nothing: a page that was let go cannot wake, fill or crash its tab", () => {
    expect(nextTabState("sleeping", "loaded")).toBe("sleeping");
    expect(nextTabState("sleeping", "crash")).toBe("sleeping");
    expect(nextTabState("crashed", "loaded")).toBe("crashed");
  });
});
