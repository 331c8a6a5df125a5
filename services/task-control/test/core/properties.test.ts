import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mayBegin } from "../../src/core/begin.js";
import { decide } from "../../src/core/decide.js";
import { type Decision, INPUTS, type Input } from "../../src/core/inputs.js";
import { broken } from "../../src/core/invariants.js";
import { isBusy, PHASES, type ProjectState, phaseOf } from "../../src/core/state.js";
import { transitions } from "../../src/core/transitions.js";
import { histories } from "./inputs.js";
import { effectsOf, factsOf, idle } from "./states.js";

interface Step {
  readonly before: ProjectState;
  readonly input: Input;
  readonly decision: Decision;
}

function played(inputs: readonly Input[]): Step[] {
  let state = idle;
  return inputs.map((input) => {
    const before = state;
    const decision = decide(before, input);
    state = decision.next;
    return { before, input, decision };
  });
}

/** Holds of every step of every history. */
function always(holds: (step: Step) => void): void {
  fc.assert(
    fc.property(histories, (inputs) => played(inputs).forEach(holds)),
    { numRuns: 300 },
  );
}

describe("whatever comes, in whatever order", () => {
  test("every invariant holds of every state, and every input is answered", () => {
    always(({ decision }) => expect(broken(decision.next)).toEqual([]));
  });

  test("a refusal changes nothing and does nothing", () => {
    always(({ before, decision: { next, effects, reply } }) => {
      if (reply.reply !== "refused" && reply.reply !== "wait") return;
      // An ask to quit whose asker died is dropped by whatever comes next.
      expect({ ...next, quit: null }).toEqual({ ...before, quit: null });
      expect(effects).toEqual([]);
    });
  });

  test("aborts come before what is queued, and what is queued before what is told", () => {
    const order = ["abort", "enqueue", "tell"];
    always(({ decision }) => {
      const places = effectsOf(decision).map((effect) => order.indexOf(effect));
      expect(places).toEqual([...places].sort((a, b) => a - b));
    });
  });

  test("a read changes nothing", () => {
    always(({ before, input, decision }) => {
      if (input.input === "read") expect({ ...decision.next, quit: null }).toEqual({ ...before, quit: null });
    });
  });

  test("the cursor moves by an operation that took it along, its tab's end or a task of another profile, and that is told", () => {
    always(({ before, input, decision }) => {
      const moved = JSON.stringify(before.cursor) !== JSON.stringify(decision.next.cursor);
      if (moved) expect(["ended", "start", "cursor"]).toContain(input.input);
      expect(factsOf(decision).includes("cursor.moved")).toBe(moved);
    });
  });

  test("a stop touches the execution that it names, and no other", () => {
    always(({ before, input, decision }) => {
      if (input.input !== "stop") return;
      const current = before.execution;
      const meant = current?.id === input.executionId && current.profileId === input.profileId;
      if (!meant)
        expect([decision.next.execution, decision.next.pending, decision.effects]).toEqual([
          current,
          before.pending,
          [],
        ]);
    });
  });

  test("work that is admitted while something holds the project is its own, on its tab", () => {
    always(({ before, input, decision }) => {
      if (input.input !== "mutate" || decision.reply.reply !== "admitted" || !before.execution) return;
      expect(input.taskId).toBe(before.execution.id);
      if (!input.selectsTab && !input.ofProject && before.cursor)
        expect(input.tabId ?? before.cursor.tabId).toBe(before.cursor.tabId);
    });
  });

  test("a quit is granted only to a project that is not busy, and nothing is admitted after it", () => {
    always(({ before, decision }) => {
      if (decision.next.quit?.phase === "closing") expect(isBusy(decision.next)).toBe(false);
      if (before.quit?.phase === "closing") expect(effectsOf(decision)).not.toContain("enqueue");
    });
  });

  test("what waits in the queue is begun while its execution runs, and not behind one whose end was not seen", () => {
    always(({ decision: { next } }) => {
      const held = next.execution?.state;
      const may = held === "needs_check" ? "wait" : held === "stopping" ? "drop" : "go";
      for (const { operationId } of next.pending) expect(mayBegin(next, operationId)).toBe(may);
      expect(mayBegin(next, "never-admitted")).toBe("drop");
    });
  });

  test("the same operation asked for again while it is pending is never refused and never queued twice", () => {
    always(({ before, input, decision }) => {
      if (input.input !== "mutate" || decision.reply.reply === "wait") return;
      const first = before.pending.find((op) => op.operationId === input.operationId);
      if (first?.fingerprint !== input.fingerprint) return;
      expect([decision.reply.reply, effectsOf(decision)]).toEqual(["attached", []]);
    });
  });

  test("the generation rises with a stop that is granted, and with nothing else", () => {
    always(({ before, input, decision }) => {
      const raised = decision.next.generation - before.generation;
      expect(raised).toBe(input.input === "stop" && decision.next.execution !== before.execution ? 1 : 0);
    });
  });
});

describe("over a whole history", () => {
  test("every execution that began ends once at the most, and no end is told of one that goes on", () => {
    fc.assert(
      fc.property(histories, (inputs) => {
        const told = played(inputs).flatMap(({ decision }) => endsTold(decision));
        const seen = new Set<string>();
        for (const id of told) {
          expect(seen.has(id)).toBe(false);
          seen.add(id);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("every operation that was queued ends, is discarded by a stop, or still waits", () => {
    fc.assert(
      fc.property(histories, (inputs) => {
        const steps = played(inputs);
        const queued = steps.flatMap(({ decision }) =>
          decision.effects.filter((effect) => effect.effect === "enqueue"),
        ).length;
        const ended = steps
          .flatMap(({ decision }) => factsOf(decision))
          .filter((fact) => fact === "operation.ended").length;
        const discarded = steps.reduce((sum, step) => sum + discardedIn(step), 0);
        expect(queued).toBe(ended + discarded + (steps.at(-1)?.decision.next.pending.length ?? 0));
      }),
      { numRuns: 300 },
    );
  });
});

test("every cell of the table is reached by these histories", () => {
  const reached = new Set<string>();
  const note = ({ before, input }: Step): void => void reached.add(`${phaseOf(before, input.at)} × ${input.input}`);
  // A seed of its own, so that whether a cell is reached is no matter of luck.
  fc.assert(
    fc.property(histories, (inputs) => played(inputs).forEach(note)),
    { numRuns: 2_000, seed: 1 },
  );
  const cells = PHASES.flatMap((phase) => INPUTS.map((input) => `${phase} × ${input}`));
  expect(cells.filter((cell) => !reached.has(cell))).toEqual([]);
});

test("the table has a cell for every phase and every input, and no other", () => {
  expect(Object.keys(transitions).sort()).toEqual([...PHASES].sort());
  for (const phase of PHASES) expect(Object.keys(transitions[phase]).sort()).toEqual([...INPUTS].sort());
});

function endsTold({ effects }: Decision): string[] {
  const ends: readonly string[] = ["finished", "failed", "stopped", "lost"];
  return effects.flatMap((effect) =>
    effect.effect === "tell" && effect.fact.fact === "execution.moved" && ends.includes(effect.fact.state)
      ? [effect.fact.id]
      : [],
  );
}

/** Operations that left the queue without an end of their own. */
function discardedIn({ before, input, decision }: Step): number {
  if (input.input !== "stop" && input.input !== "stop_seen") return 0;
  return before.pending.length - decision.next.pending.length;
}
