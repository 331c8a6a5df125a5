import { type Bus, connectBus, pause, request } from "@holdfast/bus";
import { wire } from "@holdfast/protocol";

/** Times and ms between them that it is told; task-control, or the server, may be starting again as well. */
const TRIES = 5;
const RETRY_MS = 500;

export interface GoneTeller {
  /** The server, once it is there. */
  readonly at: (url: string) => void;
  /** Tells task-control that a worker's process has ended: its leases need not run out first. */
  readonly tell: (workerId: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Whoever started a worker sees its end before anybody else. When it cannot be told, the leases run out by themselves. */
export function goneTeller(note: (text: string) => void): GoneTeller {
  let url = "";
  let bus: Promise<Bus> | null = null;
  const over = new AbortController();
  const connected = (): Promise<Bus> => {
    // A first connection that did not come about is tried anew; a later one comes back by itself.
    bus ??= connectBus({ url, name: "holdfast up" }).catch((thrown: unknown) => {
      bus = null;
      throw thrown;
    });
    return bus;
  };
  const once = (workerId: string): Promise<boolean> =>
    connected()
      .then((there) => request(there, wire.workerGone, { workerId }))
      .then(
        () => true,
        () => false,
      );
  return {
    at: (given) => {
      url = given;
    },
    tell: async (workerId) => {
      for (let tries = 0; tries < TRIES && !over.signal.aborted; tries += 1) {
        if (await once(workerId)) return;
        await pause(RETRY_MS, over.signal);
      }
      if (!over.signal.aborted)
        note(`nobody heard that the worker ${workerId} has ended; its projects move in some seconds`);
    },
    close: async () => {
      over.abort();
      // A connection to a server that has ended closes at once.
      await bus?.then((connected) => connected.nc.close()).catch(() => undefined);
    },
  };
}
