import { catalogue, findOperation, isReadOnly, type Operation } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { actionsOf, operationOf, tools } from "../src/tools.js";

const all = catalogue as readonly Operation[];
const byName = new Map(tools.map((tool) => [tool.name, tool]));

describe("the tools", () => {
  test("have names that every client takes, each once", () => {
    for (const { name } of tools) expect(name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
    expect(byName.size).toBe(tools.length);
  });

  test("are described, in less than 2 KB each", () => {
    for (const { name, description } of tools) {
      expect([name, description.length > 10]).toEqual([name, true]);
      expect([name, Buffer.byteLength(description) < 2_048]).toEqual([name, true]);
    }
  });

  test("take one object, without a choice at its root, and no argument that they do not name", () => {
    for (const { inputSchema } of tools) {
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(Object.keys(inputSchema)).not.toEqual(expect.arrayContaining(["oneOf"]));
      expect(Object.keys(inputSchema)).not.toEqual(expect.arrayContaining(["anyOf"]));
      expect(Object.keys(inputSchema)).not.toEqual(expect.arrayContaining(["allOf"]));
      for (const name of inputSchema.required) expect(Object.keys(inputSchema.properties)).toContain(name);
    }
  });

  test("cover every operation of the catalogue, and nothing else", () => {
    for (const op of all) {
      const name = op.tool?.name ?? op.name;
      expect(byName.has(name)).toBe(true);
      expect(operationOf(name, op.tool ? { action: op.tool.action } : {})).toBe(op);
    }
    const reached = tools.flatMap(({ name }) => (actionsOf(name).length > 0 ? actionsOf(name) : [name]));
    expect(reached.length).toBe(all.length);
  });

  test("say of themselves whether they change anything", () => {
    for (const op of all) {
      if (op.tool) continue;
      expect([op.name, byName.get(op.name)?.annotations.readOnlyHint]).toEqual([op.name, isReadOnly(op)]);
    }
    expect(byName.get("browser_tabs")?.annotations.readOnlyHint).toBe(false);
  });

  test("have a description for every argument that is not plain by its name", () => {
    const plain = [
      "doubleClick",
      "button",
      "modifiers",
      "text",
      "textGone",
      "key",
      "values",
      "accept",
      "promptText",
      "type",
      "scale",
      "workspaceId",
      "tabId",
      "url",
      "fields",
      "taskId",
      "state",
    ];
    const silent = tools.flatMap(({ name, inputSchema }) =>
      Object.entries(inputSchema.properties as Record<string, { description?: string }>)
        .filter(([field, schema]) => !schema.description && !plain.includes(field))
        .map(([field]) => `${name}.${field}`),
    );
    expect(silent).toEqual([]);
  });
});

describe("a tool of several operations", () => {
  test("tells them apart by its action, which it requires", () => {
    const tabs = byName.get("browser_tabs");
    expect(actionsOf("browser_tabs")).toEqual(["list", "new", "select", "close"]);
    expect(tabs?.inputSchema.required).toEqual(["action"]);
    expect(tabs?.inputSchema.properties.action).toMatchObject({ enum: ["list", "new", "select", "close"] });
    expect(operationOf("browser_tabs", { action: "select" })?.name).toBe("browser_tabs_select");
  });

  test("is none without an action it knows", () => {
    expect(operationOf("browser_tabs", {})).toBeNull();
    expect(operationOf("browser_tabs", { action: "shake" })).toBeNull();
  });

  test("describes each of its actions on a line", () => {
    for (const [name, tool] of byName) {
      for (const action of actionsOf(name)) expect(tool.description).toContain(`${action}: `);
    }
  });
});

describe("a tool of one operation", () => {
  test("bears its name, its sentence and its arguments", () => {
    const click = byName.get("browser_click");
    expect(click?.description).toBe(findOperation("browser_click")?.sentence);
    expect(click?.inputSchema.required).toEqual(["target"]);
    expect(Object.keys(click?.inputSchema.properties ?? {})).toEqual(
      expect.arrayContaining([
        "element",
        "target",
        "workspaceId",
        "profileId",
        "tabId",
        "taskId",
        "operationId",
        "timeoutMs",
      ]),
    );
  });

  test("is none under the name of an operation that is an action of another tool", () => {
    expect(operationOf("browser_tabs_list", {})).toBeNull();
    expect(operationOf("no_such_tool", {})).toBeNull();
  });
});
