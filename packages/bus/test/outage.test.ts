import { until } from "@holdfast/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { provision } from "../src/assets.js";
import { followFacts, tell } from "../src/facts.js";
import { openBucket } from "../src/kv.js";
import { enqueue, pullMutations } from "../src/queue.js";
import { queuedWork, withBus } from "./support.js";

const { nats, bus, another } = withBus();
beforeAll(() => provision(bus()));

const BY = { deadlineMs: 15_000 };

/** The server dies, and is there again, before anything of the test goes on. */
async function restart(): Promise<void> {
  await nats().kill();
  await until(() => !bus().connected(), { ...BY, why: "the loss is known" });
  await nats().restart();
  await until(() => bus().connected(), { ...BY, why: "the link is back" });
}

describe("after the server was killed and is back", () => {
  test("a watch is told of what comes, of what came, and of what went meanwhile", async () => {
    const bucket = await openBucket(bus(), { name: "OUTAGE" }, z.int());
    const writer = await another("writer");
    const other = await openBucket(writer, { name: "OUTAGE" }, z.int());
    const seen: [string, number | null][] = [];
    for (const key of ["a", "b"]) await bucket.create(key, 1);
    const watching = await bucket.watch((key, entry) => seen.push([key, entry?.value ?? null]));
    expect(seen).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
    await restart();
    await until(() => writer.connected(), { ...BY, why: "the writer is back too" });
    await other.remove("a");
    await other.create("c", 3);
    await until(() => seen.length >= 4, { ...BY, why: "the changes are told" });
    expect(seen.slice(2)).toEqual([
      ["a", null],
      ["c", 3],
    ]);
    watching.stop();
  });

  test("facts are told on, each once and in order", async () => {
    const seen: string[] = [];
    const following = await followFacts(bus(), { workspaceId: "p" }, ({ fact }) => {
      if (fact.fact === "tab.closed") seen.push(fact.tabId);
    });
    await tell(bus(), "p", { fact: "tab.closed", tabId: "t1", lastUrl: "" });
    await restart();
    for (const tabId of ["t2", "t3"]) await tell(bus(), "p", { fact: "tab.closed", tabId, lastUrl: "" });
    await until(() => seen.length === 3, { ...BY, why: "all are told" });
    expect(seen).toEqual(["t1", "t2", "t3"]);
    await following.stop();
  });

  test("a queue is pulled on, in order", async () => {
    const begun: string[] = [];
    const faults: unknown[] = [];
    const hooks = { holds: () => true, onFault: (thrown: unknown): void => void faults.push(thrown) };
    const run = ({ work }: { work: { operationId: string } }): Promise<undefined> => {
      begun.push(work.operationId);
      return Promise.resolve(undefined);
    };
    const pulling = await pullMutations(bus(), { workspaceId: "outage", epoch: 1 }, run, hooks);
    await enqueue(bus(), queuedWork("outage", "o1"));
    await until(() => begun.length === 1, { ...BY, why: "the first is begun" });
    await restart();
    for (const id of ["o2", "o3"]) await enqueue(bus(), queuedWork("outage", id));
    await until(() => new Set(begun).size === 3, { deadlineMs: 5_000, why: "the others are begun soon" });
    expect([...new Set(begun)]).toEqual(["o1", "o2", "o3"]);
    await pulling.stop();
  });

  test("whoever connects while the server starts is let in once it is there", async () => {
    await nats().kill();
    const coming = another("early");
    await nats().restart();
    await expect(coming.then((early) => early.connected())).resolves.toBe(true);
  });
});
