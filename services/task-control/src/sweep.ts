import { isBusy } from "./core/state.js";
import { SWEEP_EVERY_MS } from "./limits.js";
import type { Parts } from "./parts.js";

/** Brings projects back after a start, then finds busy projects that no worker serves, and asks for one: their queue is kept and goes on. */
export function startSweep(parts: Parts, bringBack: () => Promise<void>): { stop: () => void } {
  let sweeping = false;
  const sweep = async (): Promise<void> => {
    if (sweeping) return;
    sweeping = true;
    try {
      await bringBack();
      for (const workspaceId of await parts.store.list()) await rescue(parts, workspaceId);
    } catch (thrown) {
      parts.log.warn({ err: thrown }, "a round over the projects was cut short; the next one is soon");
    } finally {
      sweeping = false;
    }
  };
  const timer = setInterval(() => void sweep(), SWEEP_EVERY_MS);
  return { stop: () => clearInterval(timer) };
}

async function rescue(parts: Parts, workspaceId: string): Promise<void> {
  if (parts.workers.holder(workspaceId)) return;
  const state = await parts.store.find(workspaceId);
  if (!state || !isBusy(state)) return;
  await parts.workers
    .ensure(state)
    .catch((thrown: unknown) => parts.log.warn({ workspaceId, err: thrown }, "no worker yet for a busy project"));
}
