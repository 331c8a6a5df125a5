import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  catalogue,
  findOperation,
  type HoldfastError,
  type Operation,
  operationNamed,
  pageOperations,
  parseRequest,
  workspaceOf,
} from "../src/index.js";

const all = catalogue as readonly Operation[];

function refusalOf(act: () => unknown): HoldfastError["failure"] {
  try {
    act();
  } catch (thrown) {
    return (thrown as HoldfastError).failure;
  }
  throw new Error("It was not refused.");
}

describe("the catalogue", () => {
  test("has each name once, in a form that is a tool's, a command's and a subject's", () => {
    const names = all.map((op) => op.name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
  });

  test("has each action of a tool once, and no tool of that kind under an operation's own name", () => {
    const actions = all.flatMap((op) => (op.tool ? [`${op.tool.name} ${op.tool.action}`] : []));
    expect(new Set(actions).size).toBe(actions.length);
    for (const op of all) if (op.tool) expect(findOperation(op.tool.name)).toBeUndefined();
  });

  test("gives each read and each control a subject of its own; changes of pages share their project's queue", () => {
    const own = all.filter((op) => op.lane !== "mutation").map((op) => op.subject.pattern);
    expect(new Set(own).size).toBe(own.length);
    const queues = all.filter((op) => op.lane === "mutation").map((op) => op.subject.pattern);
    expect([...new Set(queues)]).toEqual(["holdfast.v1.mutation.*"]);
  });

  test("names the lane in each subject, and the subject of its own lane alone", () => {
    for (const op of all) {
      expect(op.subject.lane).toBe(op.lane);
      expect(op.subject.for("shop-a")).toMatch(new RegExp(`^holdfast\\.v1\\.${op.lane}(\\.[a-z_]+)*\\.shop-a$`));
    }
  });

  test("says of each operation in one sentence what it does", () => {
    for (const { name, sentence } of all) {
      expect([name, /^[A-Z].*\.$/.test(sentence) && sentence.length <= 160]).toEqual([name, true]);
    }
    expect(new Set(all.map((op) => op.sentence)).size).toBe(all.length);
  });

  test("takes no argument that it does not name, anywhere", () => {
    for (const op of all) {
      const schema = z.toJSONSchema(op.request, { io: "input" });
      expect([op.name, schema.additionalProperties]).toEqual([op.name, false]);
    }
  });

  test("gives every page operation a time after which it ends, and the fields that name where", () => {
    for (const op of pageOperations as readonly Operation[]) {
      expect([op.name, (op.timeoutMs ?? 0) > 0]).toEqual([op.name, true]);
      const fields = Object.keys(op.request.shape);
      expect(fields).toEqual(
        expect.arrayContaining(["workspaceId", "profileId", "tabId", "taskId", "operationId", "timeoutMs"]),
      );
    }
  });

  test("names each failure of an operation once", () => {
    for (const { name, failures } of all) expect([name, new Set(failures).size]).toEqual([name, failures.length]);
  });

  test("hides what is typed: its field is named as a secret", () => {
    expect(operationNamed("browser_type").secrets).toEqual(["text"]);
    expect(operationNamed("browser_fill_form").secrets).toEqual(["fields"]);
    for (const { secrets = [], request } of all)
      for (const field of secrets) expect(Object.keys(request.shape)).toContain(field);
  });

  test("has no operation but those in it", () => {
    expect(refusalOf(() => operationNamed("browser_fly"))).toMatchObject({
      code: "MCP_BAD_ARGUMENTS",
      details: { operation: "browser_fly" },
    });
  });
});

describe("a request", () => {
  const click = operationNamed("browser_click");

  test("gets its defaults", () => {
    expect(parseRequest(click, { target: "e1" })).toEqual({ workspaceId: "default", target: "e1" });
    expect(parseRequest(operationNamed("browser_tabs_new"), {})).toMatchObject({ select: true });
    expect(workspaceOf({})).toBe("default");
    expect(workspaceOf({ workspaceId: "shop-a" })).toBe("shop-a");
  });

  test.each([
    ["a wrong type", { target: 7 }, "target"],
    ["an argument that there is not", { target: "e1", tragte: "e2" }, "tragte"],
    ["a missing argument", {}, "target"],
    ["a value that is none of the choice", { target: "e1", button: "left-ish" }, "button"],
    ["a name that is no token of a subject", { target: "e1", workspaceId: "a.b" }, "workspaceId"],
    ["a wildcard for a name", { target: "e1", workspaceId: "*" }, "workspaceId"],
    ["a time that is none", { target: "e1", timeoutMs: -1 }, "timeoutMs"],
    ["a time without end", { target: "e1", timeoutMs: 1e9 }, "timeoutMs"],
  ])("with %s is MCP_BAD_ARGUMENTS naming it", (_what, input, named) => {
    const told = refusalOf(() => parseRequest(click, input));
    expect([told.code, told.details.operation]).toEqual(["MCP_BAD_ARGUMENTS", "browser_click"]);
    expect(told.message).toContain(named);
    expect(JSON.stringify(told.details.issues)).toContain(named);
  });

  test.each([[null], ["text"], [7], [[]], [undefined]])("that is %j and no object is MCP_BAD_ARGUMENTS", (input) => {
    expect(refusalOf(() => parseRequest(click, input)).code).toBe("MCP_BAD_ARGUMENTS");
  });

  test("tells everything that is wrong with it at once", () => {
    const told = refusalOf(() => parseRequest(click, { button: 1, extra: 2 }));
    for (const named of ["target", "button", "extra"]) expect(told.message).toContain(named);
  });

  test("may name an element as older clients do, also in each field of a form, but not both ways", () => {
    expect(parseRequest(click, { ref: "e1" })).toMatchObject({ target: "e1" });
    const form = operationNamed("browser_fill_form");
    const field = { name: "Text", type: "textbox", value: "x" };
    expect(parseRequest(form, { fields: [{ ...field, ref: "e2" }] })).toMatchObject({
      fields: [{ ...field, target: "e2" }],
    });
    expect(refusalOf(() => parseRequest(click, { ref: "e1", target: "e2" })).message).toContain("target or ref");
  });

  test("keeps its values as they came: an alias is a name, not a word in a text", () => {
    const type = operationNamed("browser_type");
    expect(parseRequest(type, { target: "e1", text: "ref" })).toMatchObject({ text: "ref" });
  });
});
