import type { connectClient } from "@holdfast/testkit";
import { must, quantile } from "./measure.js";

type Client = Awaited<ReturnType<typeof connectClient>>;

export interface StopFigure {
  readonly name: string;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly target: string;
  readonly reached: boolean;
}

const QUEUED = 500;

/** The stop's answer with a queue behind a call that would take long. */
export async function stopBehindQueue(
  worker: Client,
  stopper: Client,
  workspaceId: string,
  rounds: number,
): Promise<StopFigure> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    times.push(
      await stopped(worker, stopper, workspaceId, async (taskId) => {
        const first = worker.call("browser_wait_for", { time: 30, taskId });
        // Calls on several connections may overtake each other.
        await queued(stopper, workspaceId, 1);
        return [
          first,
          ...Array.from({ length: QUEUED }, () => worker.call("browser_evaluate", { function: "1", taskId })),
        ];
      }),
    );
  }
  return figure(`stop, ${QUEUED} mutations queued`, times, 50);
}

/** The stop's answer while the page's main thread is blocked. */
export async function stopBlockedPage(
  worker: Client,
  stopper: Client,
  workspaceId: string,
  rounds: number,
): Promise<StopFigure> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    times.push(
      await stopped(worker, stopper, workspaceId, (taskId) => [
        worker.call("browser_evaluate", { function: "() => { for (;;); }", taskId }),
      ]),
    );
  }
  return figure("stop, page's main thread blocked", times, 300);
}

async function stopped(
  worker: Client,
  stopper: Client,
  workspaceId: string,
  begin: (taskId: string) => Promise<unknown>[] | Promise<Promise<unknown>[]>,
): Promise<number> {
  const { structured } = await must(worker, "task_start", { goal: "to be stopped" });
  const taskId = String(structured?.taskId);
  const calls = await begin(taskId);
  await queued(stopper, workspaceId, calls.length);
  const begun = performance.now();
  await must(stopper, "task_stop", { workspaceId, profileId: "default", taskId });
  const took = performance.now() - begun;
  await Promise.all(calls);
  return took;
}

/** Until all of them are admitted. */
async function queued(client: Client, workspaceId: string, count: number): Promise<void> {
  for (let asked = 0; asked < 10_000; asked += 1) {
    const { structured } = await must(client, "project_status", { workspaceId });
    const operations = structured?.operations as { outcome: string }[];
    if (operations.filter(({ outcome }) => outcome === "queued" || outcome === "running").length >= count) return;
  }
  throw new Error(`${count} operations were not queued.`);
}

function figure(name: string, times: readonly number[], targetMs: number): StopFigure {
  const p99Ms = quantile(times, 0.99);
  return { name, p50Ms: quantile(times, 0.5), p99Ms, target: `p99 <= ${targetMs}`, reached: p99Ms <= targetMs };
}
