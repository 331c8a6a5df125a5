import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PageServer, startPageServer, startTestStack, type TestStack, until } from "@holdfast/testkit";
import type { Report } from "../support/kept.js";
import { ROOT } from "../support/sources.js";
import { type Status, statusOf, told } from "../support/work.js";
import { Clicker } from "./client.js";
import { type Faults, inflict } from "./faults.js";
import { type Fault, planOf, WORKERS } from "./plan.js";
import { type Wire, wireTo } from "./proxy.js";
import { randomFrom } from "./random.js";
import { type Seen, type Witness, witnessOf } from "./witness.js";

/** Clients, each with a project and a task of its own but for the last two, which share one and have no task. */
const CLIENTS = 8;
/** ms everything gets to come to its end once the faults have. */
const SETTLED_MS = 120_000;

export interface ChaosRun {
  readonly pages: PageServer;
  readonly clickers: readonly Clicker[];
  readonly plan: readonly Fault[];
  readonly faults: Faults;
  readonly witness: Witness;
  readonly statuses: ReadonlyMap<string, Status>;
  readonly reports: readonly Report[];
  readonly ledger: ReadonlyMap<string, Seen>;
  readonly browsers: number;
}

/** A run from its start to where everything has come to rest; `end` takes the stack down and finds what is left. */
export async function runChaos(
  seed: number,
  lastsMs: number,
): Promise<ChaosRun & { readonly end: () => Promise<void> }> {
  const random = randomFrom(seed);
  const plan = planOf(random, lastsMs);
  const pages = await startPageServer();
  const { stack, wires } = await wired();
  const witness = await witnessOf(stack);
  const clickers = Array.from({ length: CLIENTS }, (_, n) => {
    const workspaceId = `p${Math.min(n, CLIENTS - 2)}`;
    const name = `${workspaceId}-${n}`;
    return new Clicker({ stack, pages }, randomFrom(seed + n + 1), { name, workspaceId });
  });
  await Promise.all(clickers.map((clicker, n) => clicker.begin(n < CLIENTS - 2)));
  const faults = inflict(stack, plan, wires);
  const over = performance.now() + lastsMs;
  try {
    await Promise.all(clickers.map((clicker) => clickUntil(clicker, over)));
  } finally {
    faults.stop();
  }
  const { statuses, reports } = await settled(stack, clickers);
  const ledger = await witness.last();
  const browsers = stack.processes().filter(({ command }) => isBrowser(command)).length;
  const end = async (): Promise<void> => {
    await Promise.all(clickers.map((clicker) => clicker.end()));
    await witness.close();
    await stack.stop();
    await Promise.all([...wires.values()].map((wire) => wire.close()));
    await pages.close();
  };
  return { pages, clickers, plan, faults, witness, statuses, reports, ledger, browsers, end };
}

async function clickUntil(clicker: Clicker, over: number): Promise<void> {
  for (let n = 0; performance.now() < over; n += 1) await clicker.effect(n);
}

/** Four workers, each behind a wire of its own; two of everything else but the server. */
async function wired(): Promise<{ stack: TestStack; wires: ReadonlyMap<string, Wire> }> {
  const stateDir = mkdtempSync(join(tmpdir(), "holdfast-chaos-"));
  const wires = new Map<string, Wire>();
  for (const name of WORKERS) wires.set(name, await wireTo(() => portIn(stateDir)));
  const ports = Object.fromEntries(WORKERS.map((name, n) => [String(n + 1), wires.get(name)?.port]));
  const worker = join(ROOT, "services/browser-worker/dist/main.js");
  const stack = await startTestStack({
    stateDir,
    workers: WORKERS.length,
    taskControls: 2,
    gateways: 2,
    entries: { "browser-worker": join(ROOT, "tests/chaos/worker-entry.mjs") },
    env: { HOLDFAST_CHAOS_WIRES: JSON.stringify(ports), HOLDFAST_CHAOS_WORKER: worker },
  });
  return { stack, wires };
}

/** The server's port, as its configuration says; it is written before the server starts. */
function portIn(stateDir: string): number | null {
  const port = /^port: (\d+)/m.exec(readFileSync(join(stateDir, "nats.conf"), "utf8"))?.[1];
  return port === undefined ? null : Number(port);
}

/** Waits until nothing is queued or under way any more. */
async function settled(
  stack: TestStack,
  clickers: readonly Clicker[],
): Promise<{ statuses: Map<string, Status>; reports: Report[] }> {
  const client = await until(() => stack.client().catch(() => null), {
    deadlineMs: SETTLED_MS,
    why: "a gateway is there",
  });
  const projects = [...new Set(clickers.map(({ workspaceId }) => workspaceId))];
  const statuses = new Map<string, Status>();
  const rest = async (): Promise<boolean> => {
    for (const workspaceId of projects) {
      const status = await statusOf(client, workspaceId).catch(() => null);
      if (!status || status.operations.some(({ outcome }) => outcome === "queued" || outcome === "running"))
        return false;
      statuses.set(workspaceId, status);
    }
    return true;
  };
  await until(rest, { deadlineMs: SETTLED_MS, why: "nothing is queued or under way" });
  const { restore } = told<{ restore: Report[] }>(await client.call("system_status"));
  return { statuses, reports: restore };
}

/** A browser's first process; its helpers say what they are. */
function isBrowser(command: string): boolean {
  return command.includes("--remote-debugging-pipe") && !command.includes("--type=");
}
