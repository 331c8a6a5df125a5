import { wire } from "@holdfast/protocol";
import { until } from "@holdfast/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import { provision } from "../src/assets.js";
import { QUEUE_LENGTH_MAX } from "../src/limits.js";
import { type Delivery, enqueue, HANDED_BACK, pullMutations, queueLength, type RunEnd } from "../src/queue.js";
import { epochIn, type QueueOf } from "../src/queue-holder.js";
import { withBus, queuedWork as work } from "./support.js";

const { bus, another } = withBus();
beforeAll(() => provision(bus()));

const BY = { deadlineMs: 10_000 };

/** A run that lasts until it is let go, and notes what it was given. */
function held() {
  const begun: string[] = [];
  const waiting: ((end: RunEnd) => void)[] = [];
  const run = ({ work: { operationId } }: Delivery): Promise<RunEnd> => {
    begun.push(operationId);
    return new Promise((resolve) => waiting.push(resolve));
  };
  return { begun, run, letGo: (end?: RunEnd) => waiting.shift()?.(end) };
}

const queue = (workspaceId: string, epoch = 1): QueueOf => ({ workspaceId, epoch });
const hooks = {
  holds: () => true,
  onFault: (thrown: unknown): void => {
    throw thrown;
  },
};

describe("a project's queue", () => {
  test("hands out one at a time, in the order in which they came", async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `o${i}`);
    for (const id of ids) await enqueue(bus(), work("fifo", id));
    const { begun, run, letGo } = held();
    const pulling = await pullMutations(bus(), queue("fifo"), run, hooks);
    for (let n = 1; n <= ids.length; n += 1) {
      await until(() => begun.length === n, { ...BY, why: `${n} are begun` });
      expect(begun).toEqual(ids.slice(0, n));
      letGo();
    }
    await pulling.stop();
  });

  test("waits for nobody else's: a project that hangs holds up no other", async () => {
    const hanging = held();
    const first = await pullMutations(bus(), queue("hangs"), hanging.run, hooks);
    await enqueue(bus(), work("hangs", "never-ends"));
    const other = held();
    const second = await pullMutations(bus(), queue("goes-on"), other.run, hooks);
    await until(() => hanging.begun.length === 1, { ...BY, why: "the first is begun" });
    await enqueue(bus(), work("goes-on", "o1"));
    await until(() => other.begun.length === 1, { ...BY, why: "the other's is begun" });
    other.letGo();
    hanging.letGo();
    await Promise.all([first.stop(), second.stop()]);
  });

  test("takes the same operation once, however often it is sent", async () => {
    for (let n = 0; n < 5; n += 1) await enqueue(bus(), work("once", "o1"));
    await enqueue(bus(), work("once", "o2"));
    const { begun, run, letGo } = held();
    const pulling = await pullMutations(bus(), queue("once"), run, hooks);
    await until(() => begun.length === 1, { ...BY, why: "the first is begun" });
    letGo();
    await until(() => begun.length === 2, { ...BY, why: "the second is begun" });
    letGo();
    expect(begun).toEqual(["o1", "o2"]);
    await pulling.stop();
  });

  test("keeps what nobody has pulled yet, and gives it to whoever pulls next", async () => {
    const leaving = held();
    const first = await pullMutations(bus(), queue("moves"), leaving.run, hooks);
    await enqueue(bus(), work("moves", "o1"));
    await until(() => leaving.begun.length === 1, { ...BY, why: "the first worker has begun" });
    leaving.letGo();
    await first.stop();
    await enqueue(bus(), work("moves", "o2"));
    const coming = held();
    const second = await pullMutations(await another("next-worker"), queue("moves", 2), coming.run, hooks);
    await until(() => coming.begun.length === 1, { ...BY, why: "the next worker has begun" });
    expect(coming.begun).toEqual(["o2"]);
    coming.letGo();
    await second.stop();
  });

  test("goes to a later holder at once, with what the earlier one had in hand, and the earlier one changes nothing", async () => {
    const early = held();
    const lost: unknown[] = [];
    const onFault = (thrown: unknown): void => void lost.push(thrown);
    let holds = true;
    const first = await pullMutations(bus(), queue("taken", 1), early.run, { holds: () => holds, onFault });
    for (const id of ["o1", "o2"]) await enqueue(bus(), work("taken", id));
    await until(() => early.begun.length === 1, { ...BY, why: "the earlier holder has begun" });
    const late = held();
    const second = await pullMutations(await another("later-holder"), queue("taken", 2), late.run, hooks);
    await until(() => late.begun.length === 1, { deadlineMs: 2_000, why: "the later holder has what was in hand" });
    early.letGo();
    expect(late.begun).toEqual(["o1"]);
    // The earlier one's acknowledgement is of a consumer that is no more.
    await expect(pullMutations(bus(), queue("taken", 1), early.run, hooks)).rejects.toMatchObject({
      failure: { code: "MCP_NO_WORKER" },
    });
    expect(await queueLength(bus(), "taken")).toBe(2);
    holds = false;
    late.letGo();
    await until(() => late.begun.length === 2, { ...BY, why: "the later holder goes on" });
    late.letGo();
    expect([early.begun, late.begun]).toEqual([["o1"], ["o1", "o2"]]);
    await Promise.all([first.stop(), second.stop()]);
  });

  test("keeps what a holder hands back for the next one", async () => {
    const back = held();
    const first = await pullMutations(bus(), queue("back", 1), back.run, hooks);
    await enqueue(bus(), work("back", "o1"));
    await until(() => back.begun.length === 1, { ...BY, why: "it was handed out" });
    back.letGo(HANDED_BACK);
    await first.stop();
    await first.forget();
    const next = held();
    const second = await pullMutations(bus(), queue("back", 2), next.run, hooks);
    await until(() => next.begun.length === 1, { ...BY, why: "the next holder has it" });
    next.letGo();
    await until(async () => (await queueLength(bus(), "back")) === 0, { ...BY, why: "it was acknowledged" });
    await second.stop();
  });

  test("is known by a name that bears the epoch, and no other project's is taken for it", () => {
    expect([epochIn("m_a_7", "a"), epochIn("m_a_b_7", "a"), epochIn("m_a_b_7", "a_b"), epochIn("m_a", "a")]).toEqual([
      7,
      null,
      7,
      0,
    ]);
  });

  test("goes on after a message that cannot be read, and tells of it", async () => {
    const faults: unknown[] = [];
    const { begun, run, letGo } = held();
    await bus().js.publish(wire.mutation("poison"), new TextEncoder().encode("no json"));
    await enqueue(bus(), work("poison", "o1"));
    const pulling = await pullMutations(bus(), queue("poison"), run, {
      ...hooks,
      onFault: (thrown) => faults.push(thrown),
    });
    await until(() => begun.length === 1, { ...BY, why: "the one behind it is begun" });
    expect(faults).toHaveLength(1);
    letGo();
    await pulling.stop();
  });

  test("that is full refuses with a code, at once", async () => {
    const length = QUEUE_LENGTH_MAX + 1;
    await Promise.all(Array.from({ length }, (_, i) => enqueue(bus(), work("full", `o${i}`))));
    await expect(enqueue(bus(), work("full", "one-more"))).rejects.toMatchObject({
      failure: { code: "MCP_QUEUE_FULL" },
    });
    await enqueue(bus(), work("not-full", "o1"));
  });
});
