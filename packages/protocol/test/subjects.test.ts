import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asFailure, checkToken, subjects, TOKEN, token, wire } from "../src/index.js";

function codeOf(act: () => unknown): string {
  try {
    act();
    return "passes";
  } catch (thrown) {
    return asFailure(thrown).code;
  }
}

describe("a name that becomes part of a subject", () => {
  test.each(["a", "shop-a", "Shop_1", "x".repeat(64)])("may be %s", (name) => {
    expect(checkToken(name, "workspaceId")).toBe(name);
  });

  test.each(["", "a.b", "*", ">", "a b", "a\n", "ä", "a/b", "x".repeat(65), "a.>", "\u0000"])(
    "may not be %j",
    (name) => {
      expect(codeOf(() => checkToken(name, "workspaceId"))).toBe("MCP_BAD_ARGUMENTS");
      expect(token.safeParse(name).success).toBe(false);
    },
  );

  test("is one token of its subject, whatever it is: no name reaches another project or all of them", () => {
    const made = [subjects.mutation(), subjects.query("browser", "snapshot"), subjects.control("stop")];
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "-", ".", "*", ">", " ", "\n"), maxLength: 8 }), (name) => {
        for (const { for: subjectFor, pattern } of made) {
          if (!TOKEN.test(name)) expect(codeOf(() => subjectFor(name))).toBe("MCP_BAD_ARGUMENTS");
          else expect(subjectFor(name).split(".").length).toBe(pattern.split(".").length);
        }
      }),
    );
  });

  test("is checked wherever our own processes address each other", () => {
    const addressed = [
      wire.admit,
      wire.mutation,
      wire.fact,
      wire.stop,
      wire.report,
      (name: string) => wire.worker(name, "read"),
    ];
    for (const subjectFor of addressed) expect(codeOf(() => subjectFor("a.>"))).toBe("MCP_BAD_ARGUMENTS");
  });
});
