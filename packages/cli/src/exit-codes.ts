import type { FailureCode } from "@holdfast/protocol";

/** How the program ends, for scripts. */
export const EXIT = { done: 0, failed: 1, usage: 2, refused: 3, unknown: 4 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Holdfast could have done it and will not, as things stand: nothing was begun. */
const REFUSALS: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "MCP_TARGET_TAB_BUSY",
  "MCP_BACKGROUND_PROJECT_RUNNING",
  "MCP_PROJECT_BUSY",
  "MCP_TASK_MISMATCH",
  "MCP_TASK_ENDED",
  "MCP_TASK_NEEDS_CHECK",
  "MCP_OPERATION_CONFLICT",
  "MCP_QUEUE_FULL",
  "MCP_CLOSING",
  "MCP_HUMAN_HAS_CONTROL",
  "MCP_URL_DENIED",
  "MCP_UNAUTHORIZED",
]);

/** The exit code for a failure. The one place that decides it. */
export function exitCodeOf(code: FailureCode): ExitCode {
  if (code === "MCP_BAD_ARGUMENTS") return EXIT.usage;
  if (code === "MCP_OUTCOME_UNKNOWN") return EXIT.unknown;
  return REFUSALS.has(code) ? EXIT.refused : EXIT.failed;
}
