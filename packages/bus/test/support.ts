import type { Admitted } from "@holdfast/protocol";
import { startNats, type TestNats } from "@holdfast/testkit";
import { afterAll, beforeAll } from "vitest";
import { type Bus, connectBus } from "../src/connect.js";

export interface Buses {
  readonly nats: () => TestNats;
  readonly bus: () => Bus;
  /** Another connection, as another process has it. */
  readonly another: (name: string) => Promise<Bus>;
}

/** A real server for the tests of one file, and a connection to it. */
export function withBus(): Buses {
  let nats: TestNats;
  let bus: Bus;
  const others: Bus[] = [];
  beforeAll(async () => {
    nats = await startNats();
    bus = await connectBus({ url: nats.url, name: "test" });
  });
  afterAll(async () => {
    await Promise.all([bus, ...others].map((each) => each.nc.close()));
    await nats.stop();
  });
  return {
    nats: () => nats,
    bus: () => bus,
    another: async (name) => {
      const made = await connectBus({ url: nats.url, name });
      others.push(made);
      return made;
    },
  };
}

/** A mutation as it stands in a queue. */
export function queuedWork(workspaceId: string, operationId: string): Admitted {
  const what = { operation: "browser_click", operationId, request: {}, workspaceId, profileId: "default" };
  const who = { taskId: null, generation: 0, fingerprint: "f", caller: "test", viewedBy: {} };
  return { ...what, ...who, tabId: null, cursorless: false, newTab: "report", expiresAt: 0, replyTo: "" };
}
