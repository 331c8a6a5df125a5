import { request } from "@holdfast/bus";
import { wire } from "@holdfast/protocol";
import { anyWorkerBeats } from "./beats.js";
import type { ProjectState } from "./core/state.js";
import { BRING_BACK_MAX, BRING_BACK_MS } from "./limits.js";
import type { Parts } from "./parts.js";

/**
 * What a start owes to the one before: a quit that was granted is over, and what was saved comes back.
 * It is a start of the whole stack when no worker is alive; else only this process is new, and nothing is to be done.
 */
export async function beginRun(parts: Parts): Promise<readonly string[]> {
  if (await anyWorkerBeats(parts.bus)) return [];
  await parts.restores.clear();
  await parts.quitMark.lower();
  const waiting: string[] = [];
  for (const workspaceId of await parts.store.list()) {
    const { next } = await parts.store.apply(workspaceId, { input: "restart" });
    if (next.open) waiting.push(workspaceId);
  }
  return waiting.slice(0, BRING_BACK_MAX);
}

/** Projects that wait for a worker, brought back one after the other so that a start is not all at once. */
export function bringBack(parts: Parts, waiting: readonly string[]): () => Promise<void> {
  const left = new Map(waiting.map((workspaceId) => [workspaceId, performance.now()]));
  return async () => {
    for (const [workspaceId, since] of left) {
      // A lease that is still held is either alive or runs out; which of them, time tells.
      if (parts.workers.holder(workspaceId)) {
        if (performance.now() - since > BRING_BACK_MS) left.delete(workspaceId);
        continue;
      }
      const state = await parts.store.find(workspaceId);
      if (state?.open && !(await served(parts, state))) return;
      left.delete(workspaceId);
    }
  };
}

/** False while there is no worker yet. */
async function served(parts: Parts, state: ProjectState): Promise<boolean> {
  try {
    const holder = await parts.workers.ensure(state);
    await request(
      parts.bus,
      wire.worker(holder.workerId, "settled"),
      { workspaceId: state.workspaceId },
      { timeoutMs: BRING_BACK_MS },
    );
    return true;
  } catch (thrown) {
    parts.log.warn({ workspaceId: state.workspaceId, err: thrown }, "a project is not back yet");
    return false;
  }
}
