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
