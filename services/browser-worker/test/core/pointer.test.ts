import type { SavedEntry } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { adopted, dropped, FIRST, freeName, SLOTS, slotNames, switched } from "../../src/core/pointer.js";

const saved = (name: string): SavedEntry => ({ name, savedAt: "", bytes: 1, sha256: "", encrypted: false });
const trusted = { trusted: true, skippedCurrent: false };
const [a, b, c] = [saved("a"), saved("b"), saved("c")];

describe("the pointer to a saved state", () => {
  test("goes on from one verified state to the next, and keeps the one before", () => {
    const first = switched(adopted(FIRST, 1), a, { epoch: 1, origin: trusted });
    const second = first && switched(first, b, { epoch: 1, origin: trusted });
    expect(first).toEqual({ epoch: 1, current: a, previous: null, aside: null });
    expect(second).toEqual({ epoch: 1, current: b, previous: a, aside: null });
    const third = second && switched(second, c, { epoch: 1, origin: trusted });
    expect(second && third && dropped(second, third)).toEqual(["a"]);
  });

  test("is not moved by a session that lost something: that one is kept aside", () => {
    const stands = { epoch: 1, current: a, previous: b, aside: null };
    const origin = { trusted: false, skippedCurrent: false };
    expect(switched(stands, c, { epoch: 2, origin })).toEqual({ epoch: 2, current: a, previous: b, aside: c });
  });

  test("drops a broken state, and not the good one before it", () => {
    const stands = { epoch: 1, current: a, previous: b, aside: null };
    const origin = { trusted: true, skippedCurrent: true };
    expect(switched(stands, c, { epoch: 1, origin })).toEqual({ epoch: 1, current: c, previous: b, aside: null });
  });

  test("is moved by no worker of an older epoch", () => {
    expect(switched(adopted(FIRST, 8), a, { epoch: 7, origin: trusted })).toBeNull();
  });

  test("always leaves a name to write beside", () => {
    const taken = slotNames("shop", 5).slice(0, 3).map(saved);
    const [current = a, previous = a, aside = a] = taken;
    expect(freeName("shop", 5, { epoch: 5, current, previous, aside })).toBe(`shop/state-5-${SLOTS - 1}`);
    expect(freeName("shop", 6, { epoch: 5, current, previous, aside })).toBe("shop/state-6-0");
  });
});
