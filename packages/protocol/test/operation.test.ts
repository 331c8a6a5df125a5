import { expect, test } from "vitest";
import { z } from "zod";
import { COMMON_FAILURES, type Handlers, operation, subjects, type systemOperations } from "../src/index.js";

const about = {
  owner: "task-control",
  answers: "state",
  sentence: "Does nothing.",
  request: z.strictObject({}),
  response: z.object({}),
  failures: [],
} as const;

// These are proved by the compiler: an expected error that does not come is an error itself.
test("an operation travels on a subject of its own lane, or does not compile", () => {
  const stop = operation({ ...about, name: "x_stop", lane: "control", subject: subjects.control("x_stop") });
  // @ts-expect-error a control operation in the queue of the work that it stops
  const queued = operation({ ...about, name: "x_queued", lane: "control", subject: subjects.mutation() });
  // @ts-expect-error a change that could overtake the changes before it
  const hasty = operation({ ...about, name: "x_hasty", lane: "mutation", subject: subjects.control("x_hasty") });
  // @ts-expect-error a read that waits behind changes
  const slow = operation({ ...about, name: "x_slow", lane: "query", subject: subjects.mutation() });
  expect([stop, queued, hasty, slow].map((op) => op.lane)).toEqual(["control", "control", "mutation", "query"]);
});

test("a failure that is not in the closed list does not compile", () => {
  const made = operation({
    ...about,
    name: "x_fails",
    lane: "control",
    subject: subjects.control("x_fails"),
    // @ts-expect-error no such code
    failures: ["MCP_ELSE"],
  });
  expect(made.failures).not.toEqual(COMMON_FAILURES);
});

test("an operation that nobody handles does not compile", () => {
  const some: Pick<Handlers<typeof systemOperations, null>, "system_quit"> = {
    system_quit: () => ({ state: "closing", saved: [] }),
  };
  // @ts-expect-error system_status has no handler
  const all: Handlers<typeof systemOperations, null> = some;
  expect(Object.keys(all)).toEqual(["system_quit"]);
});
