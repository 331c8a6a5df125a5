import { catalogue, operationNamed } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { flagsOf, requestValue, wordsOf } from "../../src/derive/flags.js";

const flag = (operation: string, field: string) => {
  const found = flagsOf(operationNamed(operation)).find((one) => one.field === field);
  if (!found) throw new Error(`${operation} has no ${field}`);
  return found;
};

describe("the words of a command", () => {
  test.each([
    ["project_open", "project open"],
    ["browser_tabs_select", "browser tabs select"],
    ["browser_navigate", "browser navigate"],
    ["browser_press_key", "browser press-key"],
    ["project_memory_set", "project memory set"],
  ])("%s is called as %s", (name, words) => {
    expect(wordsOf(operationNamed(name)).join(" ")).toBe(words);
  });

  test("no two operations are called alike", () => {
    const all = catalogue.map((op) => wordsOf(op).join(" "));
    expect(new Set(all).size).toBe(all.length);
  });

  test("no operation hides a command of Holdfast itself", () => {
    const own = ["up", "status", "stop", "quit", "events", "doctor", "setup", "mcp", "help"];
    expect(catalogue.map((op) => wordsOf(op)[0]).filter((family) => own.includes(family))).toEqual([]);
  });
});

describe("the flags of a command", () => {
  test("every field of every request has one, in kebab case", () => {
    for (const op of catalogue) {
      const flags = flagsOf(op);
      expect(flags.map((one) => one.field)).toEqual(Object.keys(op.request.shape));
      for (const one of flags) expect(one.name).toMatch(/^[a-z][a-z0-9-]*$/);
    }
  });

  test("numbers are parsed, and text that is none is left for the request's own check", () => {
    expect(requestValue(flag("browser_click", "timeoutMs"), "250")).toBe(250);
    expect(requestValue(flag("browser_click", "timeoutMs"), "soon")).toBe("soon");
    expect(requestValue(flag("browser_click", "timeoutMs"), "")).toBe("");
  });

  test("text that looks like a number stays text", () => {
    expect(requestValue(flag("browser_type", "text"), "007")).toBe("007");
  });

  test("arrays and objects are given as JSON", () => {
    expect(requestValue(flag("browser_select_option", "values"), '["red","blue"]')).toEqual(["red", "blue"]);
    expect(requestValue(flag("browser_select_option", "values"), "red")).toBe("red");
  });

  test("a switch that is on by default, or must be given, can be turned off", () => {
    expect(flag("browser_tabs_new", "select")).toMatchObject({ kind: "switch", negatable: true });
    expect(flag("browser_handle_dialog", "accept")).toMatchObject({ kind: "switch", negatable: true });
    expect(flag("browser_take_screenshot", "fullPage")).toMatchObject({ kind: "switch", negatable: false });
  });

  test("the description tells what is required, what can be chosen and what the default is", () => {
    expect(flag("task_finish", "taskId").description).toContain("required");
    expect(flag("task_finish", "state").description).toContain('one of finished, failed; default "finished"');
  });
});
