import { type Answer, failure, noIdentity, type ProgramStep } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { cameOf, goingOn, operationIdOf, type Run, standing, withValues } from "../../src/core/run.js";

const AT = "2026-01-01T00:00:00.000Z";
const run: Run = {
  runId: "run_1",
  workspaceId: "p",
  profileId: "default",
  programId: "prog",
  version: 1,
  steps: 3,
  state: "going",
  final: null,
  startedAt: AT,
  endedAt: null,
  step: 1,
  attempt: 0,
  tabs: { main: "t1" },
  params: { name: "Ada" },
  replaced: {},
  results: [],
  waiting: null,
  beat: 0,
};
const target = { frame: [], locators: [{ by: "css" as const, value: "#a" }] };
const click: ProgramStep = { do: "click", tab: "main", target, double: false, button: "left", modifiers: [] };
const done = (value?: unknown): Answer => ({ ok: true, result: { text: "", value }, identity: noIdentity("o") });
const failed = (code: Parameters<typeof failure>[0], replayed = false): Answer => ({
  ok: false,
  failure: failure(code),
  identity: { ...noIdentity("o"), replayed },
});

describe("what came of a step", () => {
  test("is kept with the locator that worked, and the tab that it opened gets the program's name", () => {
    const locator = { by: "css", value: "#a" };
    const came = cameOf(run, { ...click, opens: "tab2" }, done({ locator, opened: "t9" }), AT);
    expect(came).toMatchObject({ came: "done", run: { step: 2, attempt: 0, tabs: { main: "t1", tab2: "t9" } } });
    expect(came.came === "done" && came.run.results).toMatchObject([
      { step: 1, operationId: "run_1_1", outcome: "done", locator },
    ]);
  });

  test.each([
    ["MCP_PAGE_FAILED", "stuck", "step_failed"],
    ["MCP_DEADLINE", "stuck", "step_failed"],
    ["MCP_OUTCOME_UNKNOWN", "stuck", "outcome_unknown"],
    ["MCP_TASK_NEEDS_CHECK", "stuck", "outcome_unknown"],
    ["MCP_STOPPED", "over", undefined],
    ["MCP_TASK_ENDED", "over", undefined],
    ["MCP_NO_WORKER", "later", undefined],
    ["MCP_BUS_DOWN", "later", undefined],
  ] as const)("with %s is %s", (code, came, why) => {
    expect(cameOf(run, click, failed(code), AT)).toMatchObject({ came, ...(why ? { why } : {}) });
  });

  test("is stuck when the same failure is stored: asking again would give it again", () => {
    expect(cameOf(run, click, failed("MCP_NO_WORKER", true), AT).came).toBe("stuck");
  });

  test("is done when its tab is gone and was to be, and stuck when it was not", () => {
    expect(cameOf(run, { do: "close_tab", tab: "main" }, failed("MCP_TAB_GONE"), AT).came).toBe("done");
    expect(cameOf(run, { ...click, closes: true }, failed("MCP_TAB_GONE"), AT).came).toBe("done");
    expect(cameOf(run, click, failed("MCP_TAB_GONE"), AT).came).toBe("stuck");
  });

  test("is asked for again when a dialog came while it was waited for", () => {
    const dialog: ProgramStep = { do: "dialog", tab: "main", accept: true };
    expect(cameOf(run, dialog, done(), AT)).toMatchObject({ came: "again", run: { step: 1, attempt: 1 } });
    expect(cameOf(run, dialog, done({ locator: null, opened: null }), AT).came).toBe("done");
  });
});

describe("a decision", () => {
  const waiting = { since: AT, step: 1, why: "step_failed", message: "", code: "MCP_PAGE_FAILED" } as const;
  const evidence = { tried: null, snapshot: null, screenshot: null, url: null, missing: [] };
  const stands = standing(run, { ...waiting, ...evidence });

  test("is waited for with the failed try on record", () => {
    expect(stands).toMatchObject({ state: "waiting", results: [{ outcome: "failed", code: "MCP_PAGE_FAILED" }] });
  });

  test("to try again is another operation; to skip goes on behind it; to replace puts the other step there", () => {
    const again = goingOn(stands, { decision: "retry" }, AT);
    expect([again.state, again.step, operationIdOf(again)]).toEqual(["going", 1, "run_1_1_1"]);
    expect(goingOn(stands, { decision: "skip" }, AT)).toMatchObject({ step: 2, attempt: 0 });
    expect(goingOn(stands, { decision: "replace", step: click }, AT).replaced).toEqual({ "1": click });
    expect(goingOn(stands, { decision: "value", params: { name: "Grace" } }, AT).params).toEqual({ name: "Grace" });
  });
});

test("values take their places, and those that there are not are named", () => {
  const fill = (value: ProgramStep & { do: "fill" }) => value;
  const step = fill({ do: "fill", tab: "main", target, value: { secret: "word" } });
  expect(withValues(step, { params: {}, secrets: { word: "x" } })).toMatchObject({ value: "x" });
  expect(withValues(step, { params: { word: "x" }, secrets: {} })).toEqual({ missing: ["word"] });
  expect(withValues(click, { params: {}, secrets: {} })).toBe(click);
});
