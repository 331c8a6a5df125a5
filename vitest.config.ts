import { defineConfig } from "vitest/config";

/** Tests that drive a browser or a whole stack: one file at a time, since two would only measure each other. */
const HEAVY = ["tests/**/*.test.ts", "services/browser-worker/test/**/*.test.ts"];
/** Tests of what decides: no browser, no processes, so they may run beside each other. */
const PURE = ["packages/*/test/**/*.test.ts", "services/*/test/**/*.test.ts"];
const PURE_OF_WORKER = "services/browser-worker/test/core/**/*.test.ts";
const NEVER = ["**/node_modules/**", "**/dist/**"];

export default defineConfig({
  test: {
    passWithNoTests: true,
    retry: 0,
    projects: [
      {
        test: {
          name: "pure",
          include: [...PURE, PURE_OF_WORKER],
          exclude: [...NEVER, "services/browser-worker/test/!(core)/**", "services/browser-worker/test/*.test.ts"],
          maxWorkers: 2,
          testTimeout: 20_000,
          hookTimeout: 20_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "heavy",
          include: HEAVY,
          exclude: [...NEVER, PURE_OF_WORKER],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
