import { connectBus } from "@holdfast/bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startNats, type TestNats } from "../src/nats.js";

let nats: TestNats;

beforeAll(async () => {
  nats = await startNats();
});
afterAll(() => nats.stop());

test("a real server with JetStream answers, and keeps its streams and its address over a crash", async () => {
  const bus = await connectBus({ url: nats.url, name: "testkit" });
  const before = await bus.nc.jetstreamManager();
  await before.streams.add({ name: "KEPT", subjects: ["kept.>"] });
  await bus.drain();

  const crashed = nats.pid();
  await nats.kill();
  await expect(connectBus({ url: nats.url, name: "testkit" })).rejects.toThrow();
  await nats.restart();
  expect(nats.pid()).not.toBe(crashed);

  const again = await connectBus({ url: nats.url, name: "testkit" });
  const after = await again.nc.jetstreamManager();
  expect((await after.streams.info("KEPT")).config.subjects).toEqual(["kept.>"]);
  await again.drain();
});
