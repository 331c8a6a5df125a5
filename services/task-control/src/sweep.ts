import { isBusy } from "./core/state.js";
import { STRAY_ROUNDS, SWEEP_EVERY_MS } from "./limits.js";
import type { Parts } from "./parts.js";
import { pursueStop } from "./stopping.js";
import { endStrays } from "./strays.js";

/**
 * Brings projects back after a start, then looks after what nobody waits for: busy projects that no worker serves get one,
 * and their queue goes on; stops that no worker has heard are ordered again; what is pending and in no queue is ended.
 */
export function startSweep(parts: Parts, bringBack: () => Promise<void>): { stop: () => void } {
  let sweeping = false;
  let round = 0;
  const sweep = async (): Promise<void> => {
    if (sweeping) return;
    sweeping = true;
    round += 1;
    try {
      await bringBack();
      // A project that is served and well needs nobody, so all of them are looked at only now and then.
      const all = round % STRAY_ROUNDS === 0;
      for (const workspaceId of await parts.store.list()) {
        if (all || !parts.workers.holder(workspaceId)) await lookAfter(parts, workspaceId);
      }
    } catch (thrown) {
      parts.log.warn({ err: thrown }, "a round over the projects was cut short; the next one is soon");
    } finally {
      sweeping = false;
    }
  };
  const timer = setInterval(() => void sweep(), SWEEP_EVERY_MS);
  return { stop: () => clearInterval(timer) };
}

/** Sees to one project, if it is busy. It throws nothing: the next round is soon. */
export async function lookAfter(parts: Parts, workspaceId: string): Promise<void> {
  try {
    const state = await parts.store.find(workspaceId);
    if (!state || !(isBusy(state) || (state.open && parts.isRecorded(workspaceId)))) return;
    await parts.workers.ensure(state);
    await pursueStop(parts, state);
    await endStrays(parts, state);
  } catch (thrown) {
    parts.log.warn({ workspaceId, err: thrown }, "a busy project was not looked after; it is soon");
  }
}
