import {
  type Bus,
  connectBus,
  enqueue,
  ledgerKey,
  openLedger,
  provision,
  QUEUE_WAIT_MS,
  queueLength,
} from "@holdfast/bus";
import type { Admitted } from "@holdfast/protocol";
import { startNats, type TestNats } from "@holdfast/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ProjectState } from "../src/core/state.js";
import { STRAY_AFTER_MS } from "../src/limits.js";
import type { Parts } from "../src/parts.js";
import { openStore } from "../src/store.js";
import { endStrays, wasNeverBegun } from "../src/strays.js";
import { execution, idle, pending } from "./core/states.js";

let nats: TestNats;
let bus: Bus;
let parts: Parts;
let holder: { workerId: string; pid: number; epoch: number } | null = null;

beforeAll(async () => {
  nats = await startNats();
  bus = await connectBus({ url: nats.url, name: "strays" });
  await provision(bus);
  const none = { abort: () => undefined, endOf: async () => null, caughtUp: () => undefined };
  const made: Partial<Parts> = {
    bus,
    ledger: await openLedger(bus),
    store: await openStore(bus, { now: () => new Date(), ...none }),
    effects: { publish: () => undefined } as unknown as Parts["effects"],
    workers: { holder: () => holder } as unknown as Parts["workers"],
  };
  parts = made as Parts;
});

afterAll(async () => {
  await bus.drain();
  await nats.stop();
});

const LONG_AGO = new Date(Date.now() - STRAY_AFTER_MS - 1_000).toISOString();

/** A project whose task has an operation that was admitted a while ago. */
async function project(workspaceId: string): Promise<ProjectState> {
  const op = pending("o1", { taskId: "T", at: LONG_AGO });
  const state = { ...idle, workspaceId, execution: execution(), pending: [op] };
  await parts.store.create(state);
  return state;
}

function queued(workspaceId: string): Admitted {
  const what = { operation: "browser_click", operationId: "o1", request: {}, workspaceId, profileId: "default" };
  const who = { taskId: "T", generation: 0, fingerprint: "f:o1", caller: "test", viewedBy: {} };
  const when = { expiresAt: Date.now() + QUEUE_WAIT_MS, replyTo: "" };
  return { ...what, ...who, ...when, tabId: null, cursorless: false, newTab: "report" };
}

const entryOf = async (workspaceId: string) => (await parts.ledger.get(ledgerKey(workspaceId, "o1")))?.value;

describe("an operation that was admitted", () => {
  test("and never reached the queue is ended as never begun, and holds the project no more", async () => {
    await endStrays(parts, await project("never"));
    const entry = await entryOf("never");
    expect([entry?.outcome, entry && wasNeverBegun(entry)]).toEqual(["refused", true]);
    expect((await parts.store.get("never")).pending).toEqual([]);
  });

  test("and comes to the queue after that is begun by nobody: the ledger has it", async () => {
    await endStrays(parts, await project("late"));
    await enqueue(bus, queued("late"));
    const begun = { ...(await entryOf("late")), outcome: "running" as const, epoch: 7 };
    expect(await parts.ledger.create(ledgerKey("late", "o1"), begun as never)).toBeNull();
  });

  test("and stands in the queue is left there, however long", async () => {
    const state = await project("waits");
    await enqueue(bus, queued("waits"));
    await endStrays(parts, state);
    expect([await queueLength(bus, "waits"), await entryOf("waits")]).toEqual([1, undefined]);
    expect((await parts.store.get("waits")).pending).toHaveLength(1);
  });

  test("a moment ago is left alone: whoever admitted it may be about to queue it", async () => {
    const state = await project("fresh");
    const pendingNow = [pending("o1", { taskId: "T", at: new Date().toISOString() })];
    await endStrays(parts, { ...state, pending: pendingNow });
    expect(await entryOf("fresh")).toBeUndefined();
  });

  test("and was begun by a worker before this one is unknown, and its task needs a check", async () => {
    const state = await project("lost");
    const running = { operationId: "o1", operation: "browser_click", fingerprint: "f:o1", taskId: "T", tabId: "t1" };
    const begun = { ...running, epoch: 3, outcome: "running" as const, at: LONG_AGO, answer: null };
    await parts.ledger.create(ledgerKey("lost", "o1"), begun);
    holder = { workerId: "w", pid: 1, epoch: 3 };
    await endStrays(parts, state);
    expect((await entryOf("lost"))?.outcome).toBe("running");
    holder = { workerId: "w2", pid: 2, epoch: 4 };
    await endStrays(parts, state);
    expect((await entryOf("lost"))?.outcome).toBe("unknown");
    expect((await parts.store.get("lost")).execution?.state).toBe("needs_check");
  });

  test("and ended without its end being told ends as the ledger says, with the cursor where it took it", async () => {
    const state = await project("untold");
    const done = { operationId: "o1", operation: "browser_tabs_new", fingerprint: "f:o1", taskId: "T", tabId: "t2" };
    const cursor = { profileId: "default", tabId: "t2" };
    await parts.ledger.create(ledgerKey("untold", "o1"), {
      ...done,
      epoch: 3,
      outcome: "done",
      at: LONG_AGO,
      answer: null,
      cursor,
    });
    await endStrays(parts, state);
    const now = await parts.store.get("untold");
    expect([now.pending, now.cursor, now.ended[0]?.outcome]).toEqual([[], cursor, "done"]);
  });
});
