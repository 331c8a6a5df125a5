import { FAILURE_CODES } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { exitCodeOf } from "../src/exit-codes.js";

test("every failure ends the program with a code other than success", () => {
  for (const code of FAILURE_CODES) expect([1, 2, 3, 4]).toContain(exitCodeOf(code));
});

test.each([
  ["MCP_BAD_ARGUMENTS", 2],
  ["MCP_OUTCOME_UNKNOWN", 4],
  ["MCP_PROJECT_BUSY", 3],
  ["MCP_TARGET_TAB_BUSY", 3],
  ["MCP_BACKGROUND_PROJECT_RUNNING", 3],
  ["MCP_CLOSING", 3],
  ["MCP_TASK_NEEDS_CHECK", 3],
  ["MCP_PAGE_FAILED", 1],
  ["MCP_BUS_DOWN", 1],
] as const)("%s ends the program with %i", (code, exit) => {
  expect(exitCodeOf(code)).toBe(exit);
});
