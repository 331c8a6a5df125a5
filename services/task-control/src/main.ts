import {
  ARTIFACTS,
  connectBus,
  ledgerKey,
  mintFrom,
  openArtifacts,
  openCounters,
  openLedger,
  openRecordings,
  openSettings,
  openStatePointers,
  openTabTables,
  provision,
  STATE,
  sealingWith,
} from "@holdfast/bus";
import { pino } from "pino";
import { Driver } from "./driver.js";
import { openEffects } from "./effects.js";
import { endInLedger, openEnds } from "./ends.js";
import { openHistory } from "./history.js";
import { openInLine } from "./in-line.js";
import { recordInputs } from "./input-record.js";
import { openMemory } from "./memory.js";
import { openOrders } from "./orders.js";
import type { Parts } from "./parts.js";
import { openQuitMark } from "./quit-mark.js";
import { openRestores } from "./restores.js";
import { openRunStore } from "./run-store.js";
import { serveAll } from "./service.js";
import { beginRun, bringBack } from "./start.js";
import { openStore } from "./store.js";
import { startSweep } from "./sweep.js";
import { openViews } from "./views.js";
import { watchWorkers } from "./workers.js";

const env = process.env;
// A log that cannot be written, as on a full disk, ends nothing.
const sink = pino.destination(2).on("error", () => undefined);
const log = pino({ name: "task-control", level: env.HOLDFAST_LOG_LEVEL ?? "info" }, sink);

async function main(): Promise<void> {
  const url = required("HOLDFAST_NATS_URL");
  const privateKey = required("HOLDFAST_STOP_PRIVATE_KEY");
  const bus = await connectBus({ url, name: "task-control" });
  const control = await connectBus({ url, name: "task-control control" });
  const stopBus = await connectBus({ url: env.HOLDFAST_STOP_NATS_URL ?? url, name: "task-control stop" });
  await provision(bus);
  const orders = openOrders(stopBus, privateKey);
  const effects = openEffects(bus, orders, { log, sealing: sealingWith(env.HOLDFAST_SEAL_KEY) });
  const mint = mintFrom(await openCounters(bus), "tab");
  const ledger = await openLedger(bus);
  const store = await openStore(bus, {
    now: () => new Date(),
    abort: (workspaceId, effect) => effects.abort(workspaceId, effect.executionId),
    endOf: (workspaceId, operationId) => endInLedger(ledger, ledgerKey(workspaceId, operationId)),
    caughtUp: effects.publish,
    decided: recordInputs(env.HOLDFAST_RECORD_INPUTS),
  });
  const recordings = await openRecordings(bus);
  const parts: Parts = {
    bus,
    log,
    orders,
    effects,
    ends: openEnds(),
    store,
    workers: await watchWorkers(bus, store.get),
    views: await openViews(bus),
    memory: await openMemory(bus),
    restores: await openRestores(bus),
    recordings,
    isRecorded: await recordings.follow(),
    inLine: openInLine(bus, store),
    runs: await openRunStore(bus),
    driver: new Driver(() => parts),
    quitMark: await openQuitMark(bus, () => new Date()),
    history: openHistory(bus, log),
    statePointers: await openStatePointers(bus),
    states: await openArtifacts(bus, STATE),
    artifacts: await openArtifacts(bus, ARTIFACTS),
    ledger,
    tabs: await openTabTables(bus),
    settings: await openSettings(bus),
    mintTab: async () => `t${await mint()}`,
    fingerprintKey: privateKey,
  };
  const back = bringBack(parts, await beginRun(parts));
  const sweep = startSweep(parts, () => back().then(() => parts.driver.round()));
  const end = async (code: number): Promise<void> => {
    sweep.stop();
    await Promise.allSettled([control.drain(), bus.drain(), stopBus.drain()]);
    process.exit(code);
  };
  serveAll(parts, control, () => {
    orders.shutdown();
    void end(0);
  });
  process.once("SIGTERM", () => void end(0));
  process.once("SIGINT", () => void end(0));
  // Whoever started us is gone, and nobody else would end us.
  process.once("disconnect", () => void end(0));
  process.send?.({ type: "ready" });
  log.info("task-control is running");
}

function required(name: string): string {
  const value = env[name];
  if (value) return value;
  throw new Error(`${name} is not set; holdfast up sets it.`);
}

main().catch((thrown: unknown) => {
  log.fatal({ err: thrown }, "task-control could not start");
  process.exit(1);
});
