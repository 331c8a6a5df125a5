import { type Bus, openWorkers } from "@holdfast/bus";
import { BEATS_WAIT_MS } from "./limits.js";

/**
 * Whether any worker is alive at this moment. What is in the store proves nothing: after a crash the last heartbeats are
 * still there for a while. A worker that is heard of twice has said so just now.
 */
export async function anyWorkerBeats(bus: Bus): Promise<boolean> {
  const bucket = await openWorkers(bus);
  if ((await bucket.keys()).length === 0) return false;
  const heard = new Set<string>();
  let settle: (alive: boolean) => void = () => undefined;
  const alive = new Promise<boolean>((resolve) => {
    settle = resolve;
  });
  const watching = await bucket.watch((workerId, entry) => {
    if (entry && heard.has(workerId)) settle(true);
    if (entry) heard.add(workerId);
  });
  const timer = setTimeout(() => settle(false), BEATS_WAIT_MS);
  try {
    return await alive;
  } finally {
    clearTimeout(timer);
    watching.stop();
  }
}
