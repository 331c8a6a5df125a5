import { expect, test } from "vitest";
import { BACKOFF_MAX_MS, BACKOFF_MS, backoff, RESTARTS_MAX } from "../../src/stack/supervise.js";

test("the first restart is quick, the next ones wait longer, and one day it is enough", () => {
  const delays = Array.from({ length: RESTARTS_MAX }, (_, index) => backoff(index + 1));
  expect(delays[0]).toBe(BACKOFF_MS);
  expect(delays[1]).toBe(2 * BACKOFF_MS);
  for (const delay of delays) expect(delay).toBeLessThanOrEqual(BACKOFF_MAX_MS);
  expect(backoff(RESTARTS_MAX + 1)).toBeNull();
});
