import { failure, noIdentity, operationNamed } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { present, presentFailure } from "../../src/derive/present.js";

const target = {
  workspaceId: "shop-a",
  profileId: "default",
  tabId: "t3",
  url: "http://127.0.0.1/a",
  title: 'The "A"',
};

describe("an answer for a person", () => {
  test("about a page begins with whose it is", () => {
    const identity = { ...noIdentity("o1"), target };
    const told = present(operationNamed("browser_click"), { ok: true, result: { text: "Clicked." }, identity });
    expect(told.split("\n")[0]).toContain('shop-a/default/t3 http://127.0.0.1/a "The \\"A\\""');
    expect(told).toContain("Clicked.");
  });

  test("tells what happened meanwhile", () => {
    const newTabs = [{ tabId: "t4", openerTabId: "t3", url: "http://127.0.0.1/b", state: "loading" as const }];
    const identity = { ...noIdentity("o1"), target, newTabs, replayed: true };
    const told = present(operationNamed("browser_click"), { ok: true, result: { text: "Clicked." }, identity });
    expect(told).toContain("new tab t4 from t3: http://127.0.0.1/b");
    expect(told).toContain("stored outcome");
  });

  test("that is a list is a table", () => {
    const result = { projects: [{ workspaceId: "shop-a", cursor: null, execution: null, busy: false }] };
    const told = present(operationNamed("project_list"), { ok: true, result, identity: noIdentity("o1") });
    expect(told).toContain("shop-a");
    expect(told).not.toContain("{");
  });

  test("that is no list is JSON", () => {
    const result = { requested: true, state: "stopped", interrupted: null, discarded: 0, note: "" };
    const told = present(operationNamed("task_stop"), { ok: true, result, identity: noIdentity("o1") });
    expect(JSON.parse(told)).toEqual(result);
  });
});

test("a failure tells its code, what happened, what to do and the details", () => {
  const told = presentFailure(failure("MCP_PROJECT_BUSY", "Task t_1 holds the project.", { holder: "t_1" }));
  expect(told).toContain("MCP_PROJECT_BUSY");
  expect(told).toContain("Task t_1 holds the project.");
  expect(told).toContain("can pass later");
  expect(told).toContain('"holder":"t_1"');
});
