import {
  ARTIFACTS,
  connectBus,
  mintFrom,
  openArtifacts,
  openCounters,
  openLedger,
  openSettings,
  openStatePointers,
  openTabTables,
  openWorkers,
  STATE,
} from "@holdfast/bus";
import { urlRules } from "@holdfast/protocol";
import { pino } from "pino";
import { BrowserHost } from "./browser.js";
import { startHeartbeat } from "./heartbeat.js";
import { openLeaseKeeper } from "./leases.js";
import { DRAIN_MS } from "./limits.js";
import { memoryUsed } from "./memory-used.js";
import { reap } from "./owned/reaper.js";
import { openRunFolder, runsFolder } from "./owned/run-folder.js";
import { RecordingKeeper } from "./recording/keeper.js";
import { Settings } from "./settings.js";
import { sleepLimits } from "./sleep-limits.js";
import { cipherWith } from "./state-cipher.js";
import { States } from "./states.js";
import { TabTableKeeper } from "./tab-table.js";
import { within } from "./within.js";
import { Worker } from "./worker.js";

const env = process.env;
const log = pino({ name: "browser-worker", level: env.HOLDFAST_LOG_LEVEL ?? "info" }, pino.destination(2));

async function main(): Promise<void> {
  const url = required("HOLDFAST_NATS_URL");
  const workerId = env.HOLDFAST_WORKER_ID ?? `w_${crypto.randomUUID().slice(0, 8)}`;
  const bus = await connectBus({ url, name: workerId });
  const stopBus = await connectBus({ url: env.HOLDFAST_STOP_NATS_URL ?? url, name: `${workerId} stop` });
  const mint = mintFrom(await openCounters(bus), "tab");
  const runs = runsFolder(env);
  reap(runs, log);
  const folder = openRunFolder(runs);
  // Playwright makes its folders where the system says that temporary ones are, and so does Chromium.
  env.TMPDIR = folder.path;
  const host = new BrowserHost({
    folder,
    executablePath: env.HOLDFAST_CHROMIUM || undefined,
    headed: env.HOLDFAST_HEADED === "1",
    log,
    onLost: () => worker.browserLost(),
    leaseAgeMs: () => leases.oldestMs(),
    urlRules: urlRules.parse(JSON.parse(env.HOLDFAST_URL_RULES || "{}")),
  });
  let ending = false;
  const end = async (code: number): Promise<void> => {
    if (ending) return;
    ending = true;
    await within(
      DRAIN_MS,
      worker.releaseAll().then(() => host.close()),
    );
    await within(DRAIN_MS, heartbeat.stop());
    leases.stop();
    states.stop();
    folder.remove();
    process.exit(code);
  };
  const leases = await openLeaseKeeper(bus, { workerId, pid: process.pid }, log, (workspaceId) =>
    worker.fence(workspaceId),
  );
  const onFault = (thrown: unknown): void => log.error({ err: thrown }, "a table of tabs was not stored");
  const tables = new TabTableKeeper(await openTabTables(bus), {
    lost: (project) => worker.fence(project.workspaceId),
    onFault,
  });
  const states = new States({
    bus,
    log,
    store: await openArtifacts(bus, STATE),
    pointers: await openStatePointers(bus),
    cipher: cipherWith(env.HOLDFAST_STATE_KEY),
    limits: sleepLimits(env),
    memory: () => memoryUsed(host),
    onFault: (thrown) => log.warn({ err: thrown }, "an old saved state was not removed"),
    lost: (project) => worker.fence(project.workspaceId),
  });
  // Nobody after us has to know it, the browser least of all.
  delete env.HOLDFAST_STATE_KEY;
  const worker = new Worker({
    bus,
    stopBus,
    log,
    workerId,
    host,
    leases,
    tables,
    recordings: await RecordingKeeper.open(bus, log),
    settings: new Settings(await openSettings(bus)),
    ledger: await openLedger(bus),
    artifacts: await openArtifacts(bus, ARTIFACTS),
    states,
    mintTab: async () => `t${await mint()}`,
    stopKey: required("HOLDFAST_STOP_PUBLIC_KEY"),
    onShutdown: () => void end(0),
  });
  const browser = await host.browser();
  worker.start();
  states.start();
  const heartbeat = await startHeartbeat(await openWorkers(bus), log, () => ({
    workerId,
    pid: process.pid,
    state: ending ? "draining" : "running",
    projects: worker.size,
    browser: browser.version(),
    stateEncrypted: states.encrypts,
  }));
  process.once("SIGTERM", () => void end(0));
  process.once("SIGINT", () => void end(0));
  // Whoever started us is gone, and nobody else would end us and our browser.
  process.once("disconnect", () => void end(0));
  process.send?.({ type: "ready" });
  log.info({ workerId }, "the worker is running");
}

function required(name: string): string {
  const value = env[name];
  if (value) return value;
  throw new Error(`${name} is not set; holdfast up sets it.`);
}

main().catch((thrown: unknown) => {
  log.fatal({ err: thrown }, "the worker could not start");
  process.exit(1);
});
