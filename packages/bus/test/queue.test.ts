import type { Admitted } from "@holdfast/protocol";
import { wire } from "@holdfast/protocol";
import { until } from "@holdfast/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import { provision } from "../src/assets.js";
import { QUEUE_LENGTH_MAX } from "../src/limits.js";
import { type Delivery, enqueue, pullMutations } from "../src/queue.js";
import { withBus } from "./support.js";

const { bus, another } = withBus();
beforeAll(() => provision(bus()));

const BY = { deadlineMs: 10_000 };

function work(workspaceId: string, operationId: string): Admitted {
  const what = { operation: "browser_click", operationId, request: {}, workspaceId, profileId: "default" };
  return {
    ...what,
    tabId: null,
    cursorless: false,
    newTab: "report",
    taskId: null,
    generation: 0,
    fingerprint: "f",
    expiresAt: 0,
    replyTo: "",
    viewedBy: {},
  };
}

/** A run that lasts until it is let go, and notes what it was given. */
function held() {
  const begun: string[] = [];
  const waiting: (() => void)[] = [];
  const run = ({ work: { operationId } }: Delivery): Promise<void> => {
    begun.push(operationId);
    return new Promise((resolve) => waiting.push(resolve));
  };
  return { begun, run, letGo: () => waiting.shift()?.() };
}

function noFault(thrown: unknown): void {
  throw thrown;
}

describe("a project's queue", () => {
  test("hands out one at a time, in the order in which they came", async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `o${i}`);
    for (const id of ids) await enqueue(bus(), work("fifo", id));
    const { begun, run, letGo } = held();
    const pulling = await pullMutations(bus(), "fifo", run, noFault);
    for (let n = 1; n <= ids.length; n += 1) {
      await until(() => begun.length === n, { ...BY, why: `${n} are begun` });
      expect(begun).toEqual(ids.slice(0, n));
      letGo();
    }
    await pulling.stop();
  });

  test("waits for nobody else's: a project that hangs holds up no other", async () => {
    const hanging = held();
    const first = await pullMutations(bus(), "hangs", hanging.run, noFault);
    await enqueue(bus(), work("hangs", "never-ends"));
    const other = held();
    const second = await pullMutations(bus(), "goes-on", other.run, noFault);
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
    const pulling = await pullMutations(bus(), "once", run, noFault);
    await until(() => begun.length === 1, { ...BY, why: "the first is begun" });
    letGo();
    await until(() => begun.length === 2, { ...BY, why: "the second is begun" });
    letGo();
    expect(begun).toEqual(["o1", "o2"]);
    await pulling.stop();
  });

  test("keeps what nobody has pulled yet, and gives it to whoever pulls next", async () => {
    const leaving = held();
    const first = await pullMutations(bus(), "moves", leaving.run, noFault);
    await enqueue(bus(), work("moves", "o1"));
    await until(() => leaving.begun.length === 1, { ...BY, why: "the first worker has begun" });
    leaving.letGo();
    await first.stop();
    await enqueue(bus(), work("moves", "o2"));
    const coming = held();
    const second = await pullMutations(await another("next-worker"), "moves", coming.run, noFault);
    await until(() => coming.begun.length === 1, { ...BY, why: "the next worker has begun" });
    expect(coming.begun).toEqual(["o2"]);
    coming.letGo();
    await second.stop();
  });

  test("goes on after a message that cannot be read, and tells of it", async () => {
    const faults: unknown[] = [];
    const { begun, run, letGo } = held();
    await bus().js.publish(wire.mutation("poison"), new TextEncoder().encode("no json"));
    await enqueue(bus(), work("poison", "o1"));
    const pulling = await pullMutations(bus(), "poison", run, (thrown) => faults.push(thrown));
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
