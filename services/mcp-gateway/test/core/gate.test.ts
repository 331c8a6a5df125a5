import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { enter, type Gate, leave, OPEN, shut } from "../../src/core/gate.js";

function inside(calls: number): Gate {
  return { state: "open", inside: calls };
}

describe("the gate", () => {
  test("lets calls pass while it is open, and counts them", () => {
    expect(enter(OPEN)).toEqual(inside(1));
    expect(leave(inside(2))).toEqual(inside(1));
  });

  test("that is shut lets nothing new pass, and is closed when the last one inside is answered", () => {
    const closing = shut(inside(2));
    expect(closing).toEqual({ state: "closing", inside: 2 });
    expect(enter(closing)).toBeNull();
    expect(leave(leave(closing))).toEqual({ state: "closed", inside: 0 });
  });

  test("with nobody inside is closed at once, and stays so", () => {
    const closed = shut(OPEN);
    expect(closed.state).toBe("closed");
    expect(shut(closed)).toEqual(closed);
    expect(enter(closed)).toBeNull();
  });

  test("answers everybody whom it let pass, whatever comes in whatever order", () => {
    const moves = fc.array(fc.constantFrom("enter", "leave", "shut"), { maxLength: 50 });
    fc.assert(
      fc.property(moves, (all) => {
        let gate = OPEN;
        for (const move of all) {
          if (move === "enter") gate = enter(gate) ?? gate;
          else if (move === "shut") gate = shut(gate);
          else if (gate.inside > 0) gate = leave(gate);
          expect(gate.state === "closed").toBe(gate.inside === 0 && all.includes("shut") && gate.state !== "open");
          if (gate.state === "closed") expect(gate.inside).toBe(0);
        }
        while (gate.inside > 0) gate = leave(gate);
        expect(gate.state).toBe(all.includes("shut") ? "closed" : "open");
      }),
    );
  });
});
