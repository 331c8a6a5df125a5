import * as fc from "fast-check";
import type { Input } from "../../src/core/inputs.js";
import { QUIT_ASK_MS } from "../../src/core/state.js";
import { later } from "./states.js";

/** Few names, so that inputs meet: the same task stopped twice, an end that comes again, a stranger's id. */
const task = fc.constantFrom("T", "U");
const taskOrNone = fc.constantFrom("T", "U", null);
const operationId = fc.constantFrom("o1", "o2", "o3", "o4");
const profile = fc.constantFrom("default", "second");
const profileOrStranger = fc.constantFrom("default", "default", "default", "second", "elsewhere");
const tabId = fc.constantFrom("t1", "t2", "t3");
const tabKnown = fc.constantFrom("known", "known", "known", "unchecked", "unknown");
const quitId = fc.constantFrom("q1", "q2");
const outcome = fc.constantFrom("done", "failed", "refused", "stopped", "unknown");
const bool = fc.boolean();
const newTab = fc.constantFrom(null, "report", "follow", "lazy");
const cursor = fc.option(fc.record({ profileId: profile, tabId }), { nil: null });

const named = fc.oneof(fc.constant({ tabId: null, tabKnown: "unchecked" }), fc.record({ tabId, tabKnown }));
const mutation = fc
  .tuple(
    fc.record({
      operationId,
      taskId: taskOrNone,
      profileId: fc.option(profileOrStranger),
      selectsTab: bool,
      ofProject: bool,
    }),
    named,
    bool,
  )
  .map(([what, where, same]) => ({
    ...what,
    ...where,
    newTab: null,
    operation: "op",
    fingerprint: same ? what.operationId : "other",
  }));
const reading = fc
  .tuple(named, fc.option(profileOrStranger), bool)
  .map(([where, profileId, ofProject]) => ({ input: "read", profileId, ...where, ofProject }));
const end = fc.record({ operationId, taskId: taskOrNone, tabId: fc.option(tabId), outcome });

const of = (input: string, fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ input: fc.constant(input), ...fields });

const anyInput = fc.oneof(
  { weight: 2, arbitrary: of("cursor", { cursor }) },
  { weight: 1, arbitrary: of("open", { profiles: fc.constantFrom([], [{ profileId: "third" }]), newTab }) },
  { weight: 1, arbitrary: of("close", {}) },
  { weight: 2, arbitrary: reading },
  { weight: 6, arbitrary: mutation.map((fields) => ({ input: "mutate", ...fields })) },
  {
    weight: 3,
    arbitrary: of("start", {
      kind: fc.constantFrom("task", "program"),
      id: task,
      profileId: profileOrStranger,
      goal: fc.constant(""),
      owner: fc.constant("a"),
      newTab,
    }),
  },
  {
    weight: 1,
    arbitrary: of("finish", { taskId: task, state: fc.constantFrom("finished", "failed"), result: fc.constant(null) }),
  },
  { weight: 2, arbitrary: of("stop", { executionId: task, profileId: profile }) },
  {
    weight: 1,
    arbitrary: of("stop_seen", { executionId: task, interrupted: fc.option(fc.record({ operationId, outcome })) }),
  },
  {
    weight: 5,
    arbitrary: fc
      .tuple(end, bool, cursor)
      .map(([what, moves, to]) => ({ input: "ended", ...what, ...(moves ? { cursor: to } : {}) })),
  },
  {
    weight: 1,
    arbitrary: of("resolve", {
      taskId: fc.option(task),
      operationId,
      verdict: fc.constantFrom("done", "not_done", "unknown"),
    }),
  },
  { weight: 2, arbitrary: of("ask", { executionId: task }) },
  { weight: 1, arbitrary: of("answered", { executionId: task }) },
  { weight: 1, arbitrary: of("quit_ask", { quitId }) },
  { weight: 1, arbitrary: of("quit_release", { quitId }) },
  { weight: 1, arbitrary: of("quit_close", { quitId }) },
  { weight: 1, arbitrary: of("restart", {}) },
);

/** Mostly a moment later; now and then so late that an ask to quit is void. */
const pause = fc.constantFrom(0, 1, 1, 1, 1, 50, 50, QUIT_ASK_MS);

/** Whatever can come, in any order, as time goes on. */
export const histories: fc.Arbitrary<Input[]> = fc
  .array(fc.tuple(anyInput, pause), { minLength: 1, maxLength: 60, size: "max" })
  .map((steps) => {
    let passed = 0;
    return steps.map(([input, ms]) => {
      passed += ms;
      return { ...input, at: later(passed) } as Input;
    });
  });
