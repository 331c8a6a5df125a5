import type { ElementLocator, RecordedAction } from "@holdfast/protocol";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { appended, type Noted, ranked } from "../../src/core/record.js";

const TARGET = { frame: [], locators: [{ by: "css" as const, value: "#a" }] };

function noted(
  action: RecordedAction,
  changes: { tabId?: string; element?: string; cause?: string; at?: string } = {},
): Noted {
  const { tabId = "t1", element = null, cause = null, at = "2026-01-01T00:00:00.000Z" } = changes;
  return { step: { at, tabId, cause, action }, element };
}
const fill = (text: string): RecordedAction => ({ do: "fill", target: TARGET, value: { text } });
const click = (double = false): RecordedAction => ({
  do: "click",
  target: TARGET,
  double,
  button: "left",
  modifiers: [],
});
const all = (notes: readonly Noted[]): readonly Noted[] => notes.reduce<readonly Noted[]>(appended, []);
const kinds = (notes: readonly Noted[]): string[] => all(notes).map(({ step }) => step.action.do);

describe("what is told", () => {
  test("of one field is its last value, since when it was begun", () => {
    const typed = ["a", "ab", "abc"].map((text, place) =>
      noted(fill(text), { element: "f1", at: `2026-01-01T00:00:0${place}.000Z` }),
    );
    expect(all(typed).map(({ step }) => [step.at, step.action])).toEqual([["2026-01-01T00:00:00.000Z", fill("abc")]]);
  });

  test("of two fields, or of a person and an operation, is kept apart", () => {
    expect(all([noted(fill("a"), { element: "f1" }), noted(fill("b"), { element: "f2" })])).toHaveLength(2);
    expect(all([noted(fill("a"), { element: "f1" }), noted(fill("b"), { element: "f1", cause: "o1" })])).toHaveLength(
      2,
    );
    expect(
      all([noted(fill("a"), { element: "f1" }), noted(click(), { element: "b" }), noted(fill("b"), { element: "f1" })]),
    ).toHaveLength(3);
  });

  test("of a double click is one step, and the click before it on something else stays", () => {
    const notes = [
      noted(click(), { element: "x" }),
      noted(click(), { element: "y" }),
      noted(click(), { element: "y" }),
      noted(click(true), { element: "y" }),
    ];
    expect(all(notes).map(({ element, step }) => [element, step.action.do === "click" && step.action.double])).toEqual([
      ["x", false],
      ["y", true],
    ]);
  });

  test("of another tab begins with a mark that says where one came from", () => {
    const opened = noted({ do: "tab_opened", url: "/b", openerTabId: "t1" }, { tabId: "t2" });
    const notes = [
      noted(click(), { element: "a" }),
      opened,
      noted(click(), { tabId: "t2", element: "b" }),
      noted(click(), { element: "c" }),
    ];
    expect(kinds(notes)).toEqual(["click", "tab_opened", "tab_switched", "click", "tab_switched", "click"]);
    expect(all(notes)[2]?.step.action).toEqual({ do: "tab_switched", from: "t1" });
  });

  test("by a page of itself is no sign that somebody went there", () => {
    const own = noted({ do: "navigate", url: "/x", how: "page" }, { tabId: "t2" });
    expect(kinds([noted(click(), { element: "a" }), own, noted(click(), { element: "b" })])).toEqual([
      "click",
      "navigate",
      "click",
    ]);
  });
});

const anyNote = fc
  .record({
    what: fc.constantFrom("fill", "click", "double"),
    text: fc.string(),
    element: fc.constantFrom("e1", "e2"),
    tabId: fc.constantFrom("t1", "t2"),
  })
  .map(({ what, text, element, tabId }) =>
    noted(what === "fill" ? fill(text) : click(what === "double"), { element: `${tabId}${element}`, tabId }),
  );

describe("whatever is told, in whatever order", () => {
  const histories = fc.array(anyNote, { maxLength: 60 });

  test("nothing is told of a tab without a mark that one went there", () => {
    fc.assert(
      fc.property(histories, (notes) => {
        let at: string | null = null;
        for (const { step } of all(notes)) {
          if (step.action.do === "tab_switched") at = step.tabId;
          else if (at === null) at = step.tabId;
          expect(step.tabId).toBe(at);
        }
      }),
    );
  });

  test("the last value of a field is never lost, and no field is told twice in a row", () => {
    fc.assert(
      fc.property(histories, (notes) => {
        const kept = all(notes);
        const last = notes.findLast(({ step }) => step.action.do === "fill");
        if (last) expect(kept.findLast(({ step }) => step.action.do === "fill")?.step.action).toEqual(last.step.action);
        kept.forEach((note, place) => {
          const before = kept[place - 1];
          const twice =
            note.step.action.do === "fill" && before?.step.action.do === "fill" && before.element === note.element;
          expect(twice).toBe(false);
        });
      }),
    );
  });

  test("only the last three steps can still change", () => {
    fc.assert(
      fc.property(histories, (notes) => {
        let before: readonly Noted[] = [];
        for (const note of notes) {
          const after = appended(before, note);
          const settled = before.slice(0, Math.max(0, before.length - 3));
          expect(after.slice(0, settled.length)).toEqual(settled);
          before = after;
        }
      }),
    );
  });
});

describe("locators", () => {
  const css = (value: string): ElementLocator => ({ by: "css", value });
  test("go from what somebody named to what a place says", () => {
    const found: ElementLocator[] = [
      css("html > body > button:nth-of-type(2)"),
      css("#send"),
      { by: "text", value: "Send" },
      { by: "label", value: "Send" },
      { by: "role", role: "button", name: "Send" },
      { by: "testId", value: "send" },
    ];
    expect(ranked(found).map(({ by }) => by)).toEqual(["testId", "role", "label", "text", "css", "css"]);
    expect(ranked(found).at(-1)).toEqual(found[0]);
  });

  test("that a program made up come last, those that say nothing not at all, and each comes once", () => {
    const made = [
      css("#ember1234"),
      { by: "role" as const, role: "button", name: "" },
      css("#name"),
      css("#name"),
      { by: "testId" as const, value: "x-9f8e7d6c5b" },
    ];
    expect(ranked(made)).toEqual([css("#name"), { by: "testId", value: "x-9f8e7d6c5b" }, css("#ember1234")]);
  });
});
