import {
  ARTIFACTS,
  type Bus,
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
  sealingWith,
} from "@holdfast/bus";
import { urlRules } from "@holdfast/protocol";
import { pino } from "pino";
import { Reconciler } from "./attached/reconciler.js";
import { BrowserHost } from "./browser.js";
import { type Heart, startHeartbeat } from "./leases/heartbeat.js";
import { type Leases, openLeaseKeeper } from "./leases/leases.js";
import { DRAIN_MS } from "./limits.js";
import { reap } from "./owned/reaper.js";
import { openRunFolder, type RunFolder, runsFolder } from "./owned/run-folder.js";
import { RecordingKeeper } from "./recording/keeper.js";
import { Settings } from "./settings.js";
import { memoryUsed } from "./sleep/memory-used.js";
import { sleepLimits } from "./sleep/sleep-limits.js";
import { cipherWith } from "./state/state-cipher.js";
import { States } from "./state/states.js";
import { TabTableKeeper } from "./state/tab-table.js";
import { within } from "./within.js";
import { Worker } from "./worker.js";

const env = process.env;
// A log that cannot be written, as on a full disk, ends nothing.
const sink = pino.destination(2).on("error", () => undefined);
const log = pino({ name: "browser-worker", level: env.HOLDFAST_LOG_LEVEL ?? "info" }, sink);

/** What runs, and how it ends. */
interface Running {
  readonly worker: Worker;
  readonly host: BrowserHost;
  readonly leases: Leases;
  readonly states: States;
  readonly folder: RunFolder;
}

async function main(): Promise<void> {
  const workerId = env.HOLDFAST_WORKER_ID ?? `w_${crypto.randomUUID().slice(0, 8)}`;
  const url = required("HOLDFAST_NATS_URL");
  const bus = await connectBus({ url, name: workerId });
  let ending: Promise<void> | null = null;
  let heartbeat: Heart | null = null;
  const end = (): void => {
    ending ??= ended(running, heartbeat);
  };
  const running = await assemble(bus, workerId, end);
  const { worker, host, states } = running;
  const browser = await host.browser();
  worker.start();
  states.start();
  const reconciler = host.attached ? reconcile(running) : null;
  heartbeat = await startHeartbeat(await openWorkers(bus), log, () => ({
    workerId,
    pid: process.pid,
    state: ending ? "draining" : "running",
    projects: worker.size,
    browser: browser.version(),
    stateEncrypted: states.encrypts,
    attached: host.attached,
    tabRepairs: reconciler?.repairs ?? 0,
  }));
  process.once("SIGTERM", end);
  process.once("SIGINT", end);
  // Whoever started us is gone, and nobody else would end us and our browser.
  process.once("disconnect", end);
  process.send?.({ type: "ready" });
  log.info({ workerId }, "the worker is running");
}

async function ended({ worker, host, leases, states, folder }: Running, heartbeat: Heart | null): Promise<void> {
  await within(
    DRAIN_MS,
    worker.releaseAll().then(() => host.close()),
  );
  if (heartbeat) await within(DRAIN_MS, heartbeat.stop());
  leases.stop();
  states.stop();
  await folder.remove().catch((thrown: unknown) => log.warn({ err: thrown }, "the run's folder was not removed"));
  process.exit(0);
}

/** Makes the parts and ties them together. Whatever loses a project loses it by the worker's fence. */
async function assemble(bus: Bus, workerId: string, onShutdown: () => void): Promise<Running> {
  const url = env.HOLDFAST_STOP_NATS_URL ?? required("HOLDFAST_NATS_URL");
  const stopBus = await connectBus({ url, name: `${workerId} stop` });
  const folder = openFolder();
  const fence = (workspaceId: string): void => worker.fence(workspaceId);
  const leases = await openLeaseKeeper(bus, { workerId, pid: process.pid }, log, fence);
  const host = openHost(folder, leases, {
    onLost: () => worker.browserLost(),
    onBack: () => worker.browserBack(),
  });
  const states = await openStates(bus, host, fence);
  const tables = new TabTableKeeper(await openTabTables(bus), {
    lost: (project) => fence(project.workspaceId),
    onFault: (thrown) => log.error({ err: thrown }, "a table of tabs was not stored"),
  });
  const mint = mintFrom(await openCounters(bus), "tab");
  const worker = new Worker({
    bus,
    stopBus,
    log,
    workerId,
    host,
    leases,
    tables,
    states,
    recordings: await RecordingKeeper.open(bus, log),
    settings: new Settings(await openSettings(bus)),
    ledger: await openLedger(bus),
    artifacts: await openArtifacts(bus, ARTIFACTS),
    mintTab: async () => `t${await mint()}`,
    stopKey: required("HOLDFAST_STOP_PUBLIC_KEY"),
    sealing: sealingWith(env.HOLDFAST_SEAL_KEY),
    onShutdown,
  });
  return { worker, host, leases, states, folder };
}

/** In a person's browser events can be missed; in one of our own nothing of this runs. */
function reconcile({ worker, host }: Running): Reconciler {
  const onFault = (thrown: unknown): void => log.warn({ err: thrown }, "the browser's tabs were not compared");
  const reconciler = new Reconciler({
    targets: host.targets,
    projects: () => worker.projects,
    linkLost: () => void host.dropLink().catch(onFault),
    onFault,
  });
  reconciler.start();
  return reconciler;
}

function openFolder(): RunFolder {
  const runs = runsFolder(env);
  reap(runs, log);
  const folder = openRunFolder(runs);
  // Playwright makes its folders where the system says that temporary ones are, and so does Chromium.
  env.TMPDIR = folder.path;
  return folder;
}

function openHost(
  folder: RunFolder,
  leases: Leases,
  told: { readonly onLost: () => void; readonly onBack: () => void },
): BrowserHost {
  return new BrowserHost({
    folder,
    executablePath: env.HOLDFAST_CHROMIUM || undefined,
    headed: env.HOLDFAST_HEADED === "1",
    log,
    ...told,
    leaseAgeMs: () => leases.oldestMs(),
    urlRules: urlRules.parse(JSON.parse(env.HOLDFAST_URL_RULES || "{}")),
  });
}

async function openStates(bus: Bus, host: BrowserHost, fence: (workspaceId: string) => void): Promise<States> {
  const states = new States({
    bus,
    log,
    store: await openArtifacts(bus, STATE),
    pointers: await openStatePointers(bus),
    cipher: cipherWith(env.HOLDFAST_STATE_KEY),
    limits: sleepLimits(env),
    memory: () => memoryUsed(host),
    onFault: (thrown) => log.warn({ err: thrown }, "an old saved state was not removed"),
    lost: (project) => fence(project.workspaceId),
  });
  // Nobody after us has to know it, the browser least of all.
  delete env.HOLDFAST_STATE_KEY;
  return states;
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
