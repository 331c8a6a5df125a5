import { connectBus, followFacts } from "@holdfast/bus";
import { type PageServer, startPageServer, startTestStack, type TestStack, until } from "@holdfast/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { freeze, kill } from "../support/faults.js";
import { type Client, fine, statusOf, stopOf, taskIn, taskState } from "../support/work.js";

/** How soon a call fails when the server says nothing, in ms: it is missed after some seconds, and waited for a little. */
const TOLD_MS = 20_000;
const BACK_MS = 30_000;

let stack: TestStack;
let pages: PageServer;
let client: Client;

beforeAll(async () => {
  pages = await startPageServer();
  stack = await startTestStack();
  client = await stack.client();
});

afterAll(async () => {
  await stack?.stop();
  await pages?.close();
});

/** Acts, and is done two seconds later. */
const slowHit = (id: string, operationId: string) => ({
  function: `async () => { const hit = await fetch("/hit?id=${id}", { method: "POST" }); await fetch("/slow?s=2"); return "hit " + (await hit.text()); }`,
  operationId,
});

const isHit = (id: string): Promise<unknown> =>
  until(() => pages.hits(id) > 0, { deadlineMs: BACK_MS, why: `${id} was hit` });

test(verifies("bus.killed"), { timeout: 90_000 }, async () => {
  const work = await taskIn(stack, "killed", pages.url("/a"));
  const asked = work.call("browser_evaluate", slowHit("killed", "through-a-kill"));
  await isHit("killed");
  const { back } = kill(stack, "nats-server");
  expect(fine(await asked).text).toContain("hit 1");
  await back();
  const again = fine(await work.call("browser_evaluate", slowHit("killed", "through-a-kill")));
  expect([again.meta.replayed, pages.hits("killed")]).toEqual([true, 1]);
  expect(
    (await statusOf(client, "killed")).operations.find(({ operationId }) => operationId === "through-a-kill")?.outcome,
  ).toBe("done");
  expect((await statusOf(client, "killed")).execution?.state).toBe("running");
});

test(verifies("bus.away"), { timeout: 120_000 }, async () => {
  const work = await taskIn(stack, "away", pages.url("/a"));
  const { thaw } = freeze(stack, "nats-server");
  const begun = performance.now();
  const [read, changed] = await Promise.all([
    work.call("browser_snapshot"),
    work.call("browser_evaluate", slowHit("away", "while-away")),
  ]).finally(thaw);
  expect([read.code, changed.code, changed.meta.error?.retry]).toEqual([
    "MCP_BUS_DOWN",
    "MCP_BUS_DOWN",
    "same_operation",
  ]);
  expect(performance.now() - begun).toBeLessThan(TOLD_MS);
  const done = async (): Promise<boolean> => (await work.call("browser_evaluate", slowHit("away", "while-away"))).ok;
  await until(done, { deadlineMs: BACK_MS, why: "asked again by the same id, it is done" });
  expect(pages.hits("away")).toBe(1);
  fine(await work.call("browser_snapshot"));
});

test(verifies("bus.stop"), { timeout: 120_000 }, async () => {
  const work = await taskIn(stack, "stopping", pages.url("/a"));
  const { thaw } = freeze(stack, "nats-server");
  const named = { workspaceId: work.workspaceId, profileId: "default", taskId: work.taskId };
  const stop = await client.call("task_stop", named).finally(thaw);
  expect([stop.code, stop.meta.error?.details.delivered !== undefined]).toEqual(["MCP_BUS_DOWN", true]);
  const there = async (): Promise<string | null> => taskState(client, work).catch(() => null);
  // It was not heard, or it was: either is told as it is.
  await until(there, { deadlineMs: BACK_MS, why: "the bus is back" });
  expect(["stopped", "already_ended"]).toContain((await stopOf(client, work)).state);
  expect(await taskState(client, work)).toBe("stopped");
});

test(verifies("bus.facts"), { timeout: 120_000 }, async () => {
  const bus = await connectBus({ url: stack.endpoint.natsUrl, name: "test" });
  const seen: number[] = [];
  const following = await followFacts(bus, { workspaceId: "told", from: 1 }, ({ sequence }) => seen.push(sequence));
  const work = await taskIn(stack, "told", pages.url("/a"));
  for (let n = 0; n < 3; n += 1) {
    await kill(stack, "nats-server").back();
    const done = async (): Promise<boolean> =>
      (await work.call("browser_navigate", { url: pages.url(`/a?m=${n}`) })).ok;
    await until(done, { deadlineMs: BACK_MS, why: "the work goes on" });
  }
  const ended = seen.length;
  await until(() => seen.length > ended || seen.length > 10, { deadlineMs: BACK_MS, why: "facts are told" });
  const again: number[] = [];
  const replay = await followFacts(bus, { workspaceId: "told", from: 1 }, ({ sequence }) => again.push(sequence));
  await until(() => again.length >= seen.length && again.at(-1) === seen.at(-1), {
    deadlineMs: BACK_MS,
    why: "a replay tells the same",
  });
  expect(seen).toEqual(again);
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
  await Promise.all([following.stop(), replay.stop()]);
  await bus.nc.close();
});
