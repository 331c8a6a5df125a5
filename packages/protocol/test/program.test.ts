import { describe, expect, test } from "vitest";
import { z } from "zod";
import { program, valuesIn } from "../src/index.js";

const target = { locators: [{ by: "css", value: "#a" }] };
const click = { do: "click", target };

function problems(given: unknown): string[] {
  return program.safeParse(given).error?.issues.map(({ message }) => message) ?? [];
}

describe("a program", () => {
  test("gets its defaults: its first tab, a plain click, no parameters", () => {
    expect(program.parse({ steps: [click] })).toEqual({
      title: "",
      params: [],
      secrets: [],
      steps: [
        { do: "click", tab: "main", target: { frame: [], ...target }, double: false, button: "left", modifiers: [] },
      ],
    });
  });

  test("names a tab only after a step has opened it", () => {
    expect(problems({ steps: [{ ...click, tab: "tab2" }] })).toEqual(["step 0: no step before it opens the tab tab2"]);
    expect(
      problems({
        steps: [
          { ...click, opens: "tab2" },
          { ...click, tab: "tab2" },
        ],
      }),
    ).toEqual([]);
  });

  test("declares each parameter and secret, once", () => {
    const fill = { do: "fill", target, value: { param: "name" } };
    const secret = { do: "fill", target, value: { secret: "name" } };
    expect(problems({ steps: [fill] })).toEqual(["step 0: the param name is not declared"]);
    expect(problems({ params: [{ name: "name" }], steps: [fill, secret] })).toEqual([
      "step 1: the secret name is not declared",
    ]);
    expect(problems({ params: [{ name: "name" }, { name: "name" }], steps: [click] })).toEqual([
      "a parameter is declared twice",
    ]);
  });

  test("has steps, and no field that there is not", () => {
    expect(problems({ steps: [] })).toHaveLength(1);
    expect(problems({ steps: [{ ...click, speed: "fast" }] })).toHaveLength(1);
  });

  test("has a schema that others can check it by", () => {
    const schema = z.toJSONSchema(program, { io: "input" });
    expect(schema).toMatchObject({ type: "object", required: ["steps"], additionalProperties: false });
  });

  test("tells which of its values may be parameters", () => {
    const [fill, opened] = program.parse({
      params: [{ name: "a" }],
      steps: [
        { do: "fill", target, value: { param: "a" } },
        { do: "open_tab", opens: "tab2", url: "http://a/" },
      ],
    }).steps;
    expect([fill && valuesIn(fill), opened && valuesIn(opened)]).toEqual([[{ param: "a" }], ["http://a/"]]);
  });
});
