import type { Bucket } from "@holdfast/bus";
import type { Heartbeat } from "@holdfast/protocol";
import type { Logger } from "pino";
import { HEARTBEAT_EVERY_MS } from "../limits.js";

export interface Heart {
  /** Takes the heartbeat back: nobody has to wait for it to fall silent. */
  readonly stop: () => Promise<void>;
}

/** Says once a second that the worker is there, and at its end that it is not. */
export async function startHeartbeat(bucket: Bucket<Heartbeat>, log: Logger, tell: () => Heartbeat): Promise<Heart> {
  const { workerId } = tell();
  let revision = (await bucket.create(workerId, tell())) ?? 0;
  const beat = async (): Promise<void> => {
    try {
      revision =
        (await bucket.update(workerId, tell(), revision)) ?? (await bucket.create(workerId, tell())) ?? revision;
    } catch (thrown) {
      log.warn({ err: thrown }, "a heartbeat was not stored");
    }
  };
  const timer = setInterval(() => void beat(), HEARTBEAT_EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await bucket.remove(workerId);
    },
  };
}
