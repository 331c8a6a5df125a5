import { expect, test } from "vitest";
import { holds, until } from "../src/wait.js";

test("until gives what it saw as soon as it sees it", async () => {
  let looks = 0;
  const seen = await until(() => (++looks === 3 ? "third" : undefined), { deadlineMs: 1000, why: "the third look" });
  expect([seen, looks]).toEqual(["third", 3]);
});

test("until says what did not come to pass", async () => {
  await expect(until(() => false, { deadlineMs: 30, why: "the moon is cheese" })).rejects.toThrow(
    /30 ms: the moon is cheese/,
  );
});

test("holds ends at the first look that does not hold", async () => {
  let looks = 0;
  await expect(holds(() => ++looks < 3, 10_000, "it stays")).rejects.toThrow("it stays");
  await holds(() => true, 20, "it stays");
});
