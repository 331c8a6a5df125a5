import { expect, test } from "vitest";
import { steppedClock } from "../src/clock.js";

test("a stepped clock runs what is due at its own time and in order, and nothing else", () => {
  const clock = steppedClock(1000);
  const ran: string[] = [];
  clock.after(20, () => ran.push(`second at ${clock.now()}`));
  clock.after(10, () => ran.push(`first at ${clock.now()}`));
  const takeBack = clock.after(15, () => ran.push("taken back"));
  clock.after(500, () => ran.push("later"));
  takeBack();
  clock.advance(100);
  expect(ran).toEqual(["first at 1010", "second at 1020"]);
  expect([clock.now(), clock.pending()]).toEqual([1100, 1]);
});

test("a timer that is set by a timer runs in the same step when it is due", () => {
  const clock = steppedClock(0);
  let count = 0;
  const again = (): void => {
    count += 1;
    clock.after(10, again);
  };
  clock.after(10, again);
  clock.advance(35);
  expect(count).toBe(3);
});
