import { NO_COVERAGE, program, type RecordedAction, type RecordedStep, type RecordingHeader } from "@holdfast/protocol";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exported } from "../../src/core/export-program.js";
import { programFrom } from "../../src/core/from-recording.js";

const AT = Date.parse("2026-01-01T00:00:00.000Z");
const element = (name: string) => ({ tag: "input", role: "textbox", name, text: "" });
const target = (name: string) => ({
  frame: [],
  locators: [{ by: "css" as const, value: `#${name}` }],
  element: element(name),
});
const click = (name: string): RecordedAction => ({
  do: "click",
  target: target(name),
  double: false,
  button: "left",
  modifiers: [],
});
const fill = (name: string, value: { text: string } | { secret: string }): RecordedAction => ({
  do: "fill",
  target: target(name),
  value,
});

function header(changes: Partial<RecordingHeader> = {}): RecordingHeader {
  const times = { since: "", stoppedAt: null, seenAt: "", pausedAt: null };
  const what = {
    recordingId: "r",
    workspaceId: "p",
    name: "Flow",
    state: "stopped" as const,
    steps: 0,
    completeness: NO_COVERAGE,
  };
  return {
    ...what,
    ...times,
    begunAt: [{ tabId: "t1", url: "http://a/", openerTabId: null }],
    cursorTabId: "t1",
    ...changes,
  };
}

function steps(...list: readonly (readonly [tabId: string, action: RecordedAction, ms?: number])[]): RecordedStep[] {
  return list.map(([tabId, action, ms = 0]) => ({ at: new Date(AT + ms).toISOString(), tabId, cause: null, action }));
}

const doing = (made: ReturnType<typeof programFrom>): string[] =>
  made.steps.map(({ do: what, tab }) => `${tab} ${what}`);

describe("a program of a recording", () => {
  test("begins at the address where the recording began, and names tabs by what opened them", () => {
    const made = programFrom(
      header(),
      steps(
        ["t1", click("go")],
        ["t2", { do: "tab_opened", url: "http://b/", openerTabId: "t1" }],
        ["t2", { do: "navigate", url: "http://b/", how: "page" }],
        ["t2", { do: "tab_switched", from: "t1" }],
        ["t2", fill("code", { text: "12" })],
        ["t2", click("done")],
        ["t2", { do: "tab_closed", url: "http://b/" }],
        ["t1", { do: "tab_switched", from: "t2" }],
        ["t1", click("after")],
      ),
    );
    expect(doing(made)).toEqual([
      "main navigate",
      "main click",
      "tab2 fill",
      "tab2 click",
      "tab2 close_tab",
      "main click",
    ]);
    expect(made.steps[0]).toMatchObject({ url: "http://a/" });
    expect(made.steps[1]).toMatchObject({ opens: "tab2" });
    expect(made.steps[3]).toMatchObject({ closes: true });
  });

  test("makes parameters of what was typed, with names of their own, and secrets of placeholders", () => {
    const made = programFrom(
      header(),
      steps(
        ["t1", fill("E-mail address", { text: "a@b" })],
        ["t1", fill("E-mail address", { text: "c@d" })],
        ["t1", fill("Password", { secret: "pass word" })],
      ),
    );
    expect(made.params.map(({ name, default: value }) => [name, value])).toEqual([
      ["eMailAddress", "a@b"],
      ["eMailAddress2", "c@d"],
    ]);
    expect(made.secrets).toEqual([{ name: "passWord", description: "Password" }]);
  });

  test("leaves to the page what the page did, and does what a person asked for", () => {
    const ways = (how: "asked" | "page" | "history" | "reload", ms = 0) =>
      ["t1", { do: "navigate", url: `http://a/${how}`, how }, ms] as const;
    const made = programFrom(
      header(),
      steps(
        ["t1", click("go")],
        ways("page"),
        ways("history", 500),
        ways("history", 5_000),
        ways("asked", 6_000),
        ways("reload", 7_000),
      ),
    );
    expect(made.steps.slice(2).map((step) => step.do === "navigate" && step.url)).toEqual([
      "http://a/history",
      "http://a/asked",
      "http://a/reload",
    ]);
  });

  test("opens the tabs that were there before when it comes to them, and those that a person opened", () => {
    const begunAt = [
      { tabId: "t1", url: "http://a/", openerTabId: null },
      { tabId: "t2", url: "http://b/", openerTabId: null },
    ];
    const opened: RecordedAction = { do: "tab_opened", url: "http://c/", openerTabId: null };
    const made = programFrom(
      header({ begunAt }),
      steps(["t2", click("x")], ["t1", click("y")], ["t3", opened], ["t3", click("z")]),
    );
    expect(doing(made)).toEqual([
      "main navigate",
      "main click",
      "main open_tab",
      "tab2 click",
      "main open_tab",
      "tab3 click",
    ]);
    expect(made.steps[0]).toMatchObject({ url: "http://b/" });
  });
});

const tab = fc.constantFrom("t1", "t2", "t3");
const anyAction: fc.Arbitrary<RecordedAction> = fc.oneof(
  fc.constantFrom("a", "b").map(click),
  fc.string({ maxLength: 10 }).map((text) => fill("field", { text })),
  fc.constant(fill("secret", { secret: "password" })),
  fc
    .constantFrom("asked", "page", "history", "reload")
    .map((how): RecordedAction => ({ do: "navigate", url: "http://x/", how: how as "asked" })),
  fc.option(tab).map((openerTabId): RecordedAction => ({ do: "tab_opened", url: "http://y/", openerTabId })),
  fc.constant<RecordedAction>({ do: "tab_closed", url: "http://y/" }),
  fc.constant<RecordedAction>({ do: "dialog", kind: "confirm", message: "?", accepted: true }),
);

test("of whatever was recorded the program is of its form, gives no secret away, and can be written out", () => {
  const recordings = fc.array(fc.tuple(tab, anyAction, fc.nat(5_000)), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(recordings, (list) => {
      const made = programFrom(header(), steps(...list));
      if (made.steps.length === 0) return;
      expect(program.safeParse(made).error?.issues ?? []).toEqual([]);
      expect(exported(made, "p")).toContain("test(");
    }),
  );
});
