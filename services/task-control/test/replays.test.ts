import { type Bus, connectBus, enqueue, ledgerKey, openLedger, provision, QUEUE_WAIT_MS } from "@holdfast/bus";
import { type LedgerEntry, type OperationOutcome, PENDING } from "@holdfast/protocol";
import { startNats, type TestNats } from "@holdfast/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endInLedger } from "../src/ends.js";
import { openInLine } from "../src/in-line.js";
import { fingerprintOf, mutations } from "../src/mutate.js";
import type { Parts } from "../src/parts.js";
import { openStore } from "../src/store.js";
import { execution, idle, pending } from "./core/states.js";

const KEY = "of the stack";
const CALL = { operation: "browser_click", request: { taskId: "T", target: "e1" } };

let nats: TestNats;
let bus: Bus;
let parts: Parts;

beforeAll(async () => {
  nats = await startNats();
  bus = await connectBus({ url: nats.url, name: "replays" });
  await provision(bus);
  const ledger = await openLedger(bus);
  const endOf = (workspaceId: string, operationId: string) => endInLedger(ledger, ledgerKey(workspaceId, operationId));
  const made: Partial<Parts> = {
    bus,
    ledger,
    fingerprintKey: KEY,
    store: await openStore(bus, { now: () => new Date(), abort: () => undefined, endOf, caughtUp: () => undefined }),
    history: { answered: () => undefined } as unknown as Parts["history"],
  };
  parts = made as Parts;
});

afterAll(async () => {
  await bus.drain();
  await nats.stop();
});

/** An operation whose end is in the ledger, and whose report is still on its way. */
async function endedUnheard(workspaceId: string, outcome: OperationOutcome): Promise<void> {
  await parts.store.create({ ...idle, workspaceId, execution: execution(), pending: [pending("o1", { taskId: "T" })] });
  const what = { operationId: "o1", operation: CALL.operation, fingerprint: fingerprintOf(CALL, KEY), taskId: "T" };
  const entry: LedgerEntry = { ...what, tabId: "t1", epoch: 1, outcome, at: new Date().toISOString(), answer: null };
  await parts.ledger.create(ledgerKey(workspaceId, "o1"), entry);
}

const askAgain = (workspaceId: string, more: { operationId?: string; again?: true } = {}, by = parts) =>
  mutations(by)(
    { ...CALL, operationId: "o1", chosen: true, caller: "test", ...more },
    { subject: "", last: workspaceId, replyTo: "inbox" },
  );

describe("whoever asks again and hears the end from the ledger", () => {
  test("finds the project where that end leaves it: an unknown outcome holds up the task before it is told", async () => {
    await endedUnheard("lost", "unknown");
    expect(await askAgain("lost")).toMatchObject({ ok: false, failure: { code: "MCP_OUTCOME_UNKNOWN" } });
    expect(await parts.store.get("lost")).toMatchObject({ pending: [], execution: { state: "needs_check" } });
  });

  test("finds the way free after one that was stopped", async () => {
    await endedUnheard("cut", "stopped");
    expect(await askAgain("cut")).toMatchObject({ ok: false, failure: { code: "MCP_STOPPED" } });
    expect(await parts.store.get("cut")).toMatchObject({ pending: [], execution: { state: "running" } });
  });
});

test("hundreds who ask at one moment about what is queued cost one look for all of them", async () => {
  const ids = Array.from({ length: 300 }, (_, n) => `q${n}`);
  const ops = ["o1", ...ids].map((id) => pending(id, { taskId: "T" }));
  await parts.store.create({ ...idle, workspaceId: "many", execution: execution(), pending: ops });
  const what = { ...CALL, operationId: "o1", workspaceId: "many", profileId: "default", tabId: null, taskId: "T" };
  const who = { fingerprint: "f:o1", caller: "test", replyTo: "", viewedBy: {}, generation: 0 };
  await enqueue(bus, { ...what, ...who, cursorless: false, newTab: "report", expiresAt: Date.now() + QUEUE_WAIT_MS });
  let looks = 0;
  const get: Parts["store"]["get"] = (workspaceId) => {
    looks += 1;
    return parts.store.get(workspaceId);
  };
  const by = { ...parts, store: { ...parts.store, get }, inLine: openInLine(bus, { get }) };
  const answers = await Promise.all(ids.map((operationId) => askAgain("many", { operationId, again: true }, by)));
  expect([new Set(answers), looks]).toEqual([new Set([PENDING]), 1]);
});
