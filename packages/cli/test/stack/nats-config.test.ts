import { describe, expect, test } from "vitest";
import { natsConfig, natsUrlFor } from "../../src/stack/nats-config.js";

const secrets = {
  workPassword: "pw-work",
  taskControlStopPassword: "pw-tc",
  workerStopPassword: "pw-worker",
  systemPassword: "pw-sys",
  token: "token",
  stopPrivateKey: "private",
  stopPublicKey: "public",
};
const config = { port: 4333, storeDir: '/tmp/a "b"/jetstream', pidFile: "/tmp/nats.pid", secrets };

describe("the server's configuration", () => {
  test("listens on the loopback alone", () => {
    expect(natsConfig(config)).toContain('host: "127.0.0.1"');
  });

  test("lets task-control alone publish a stop, and workers publish nothing but answers", () => {
    const text = natsConfig(config);
    expect(text).toContain('permissions: { publish: ["holdfast.v1.stop.>"], subscribe: ["_INBOX.>"] }');
    expect(text).toContain('publish: { deny: [">"] }, subscribe: ["holdfast.v1.stop.>"], allow_responses: true');
  });

  test("has JetStream in one account, which is not the one of stop", () => {
    const text = natsConfig(config);
    expect(text.match(/jetstream: enabled/g)).toHaveLength(1);
    expect(text.indexOf("jetstream: enabled")).toBeLessThan(text.indexOf("CTRL"));
  });

  test("writes through to the disk where the server knows the word, and does not use it where it is refused", () => {
    expect(natsConfig({ ...config, version: "2.10.0" })).toContain("sync_interval: always");
    expect(natsConfig({ ...config, version: "3.0.1" })).toContain("sync_interval: always");
    expect(natsConfig({ ...config, version: "2.9.10" })).not.toContain("sync_interval");
    expect(natsConfig(config)).not.toContain("sync_interval");
  });

  test("survives a state folder with quotes and spaces in its name", () => {
    expect(natsConfig(config)).toContain('store_dir: "/tmp/a \\"b\\"/jetstream"');
  });

  test("holds no key of the stop lane", () => {
    expect(natsConfig(config)).not.toContain("private");
  });
});

test("each user has an address of its own", () => {
  expect(natsUrlFor("worker", 4333, secrets)).toBe("nats://worker:pw-worker@127.0.0.1:4333");
  expect(natsUrlFor("work", 4333, secrets)).toBe("nats://work:pw-work@127.0.0.1:4333");
});
