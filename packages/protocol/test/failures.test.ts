import { describe, expect, test } from "vitest";
import {
  asFailure,
  COMMON_FAILURES,
  catalogue,
  FAILURE_CODES,
  FAILURES,
  failure,
  failureShape,
  HoldfastError,
  type Operation,
} from "../src/index.js";

describe("the closed list of failures", () => {
  test("has a sentence for each, that says what is so or what to do", () => {
    for (const code of FAILURE_CODES) {
      expect(code).toMatch(/^MCP_[A-Z]+(_[A-Z]+)*$/);
      expect([code, /^[A-Z].*\.$/.test(FAILURES[code].sentence)]).toEqual([code, true]);
    }
    expect(new Set(FAILURE_CODES.map((code) => FAILURES[code].sentence)).size).toBe(FAILURE_CODES.length);
  });

  test("keeps the two oldest names as they are", () => {
    expect(FAILURE_CODES).toEqual(expect.arrayContaining(["MCP_TARGET_TAB_BUSY", "MCP_BACKGROUND_PROJECT_RUNNING"]));
  });

  test("has none that no operation can meet, but for what is refused before there is an operation", () => {
    const met = new Set<string>([
      ...COMMON_FAILURES,
      ...(catalogue as readonly Operation[]).flatMap((op) => op.failures),
    ]);
    expect(FAILURE_CODES.filter((code) => !met.has(code))).toEqual(["MCP_HUMAN_HAS_CONTROL", "MCP_UNAUTHORIZED"]);
  });
});

describe("a failure", () => {
  test("has its code's own sentence unless there is more to say", () => {
    expect(failure("MCP_CLOSING").message).toBe(FAILURES.MCP_CLOSING.sentence);
    expect(failure("MCP_TAB_GONE", "t3 was closed.", { tabId: "t3" })).toEqual({
      code: "MCP_TAB_GONE",
      message: "t3 was closed.",
      details: { tabId: "t3" },
      retry: "after_change",
    });
  });

  test("travels as it is through what throws, and through JSON", () => {
    const thrown = new HoldfastError("MCP_DEADLINE", "", { timeoutMs: 5 });
    expect(asFailure(thrown)).toBe(thrown.failure);
    expect(failureShape.parse(JSON.parse(JSON.stringify(thrown.failure)))).toEqual(thrown.failure);
  });

  test("that is not ours is told as our fault, never hidden", () => {
    expect(asFailure(new TypeError("x is not a function"))).toMatchObject({
      code: "MCP_INTERNAL",
      message: "x is not a function",
    });
    expect(asFailure("odd")).toMatchObject({ code: "MCP_INTERNAL", message: "odd" });
  });

  test("of a code that is not in the list is no failure", () => {
    expect(failureShape.safeParse({ ...failure("MCP_CLOSING"), code: "MCP_ELSE" }).success).toBe(false);
  });
});
