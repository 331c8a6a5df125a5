import { describe, expect, test } from "vitest";
import { environmentOf, type Surroundings } from "../../src/stack/environment.js";

const secrets = {
  workPassword: "pw-work",
  taskControlStopPassword: "pw-tc",
  workerStopPassword: "pw-worker",
  systemPassword: "pw-sys",
  token: "the-token",
  stopPrivateKey: "private",
  stopPublicKey: "public",
};
const around: Surroundings = {
  options: { stateDir: "/state", headed: true },
  secrets,
  bus: { embedded: true, port: 4333, url: "nats://work:pw-work@127.0.0.1:4333" },
  browser: "/usr/bin/chromium",
};
const taskControl = { service: "task-control", ordinal: 1, port: 0 } as const;
const worker = { service: "browser-worker", ordinal: 2, port: 0 } as const;
const gateway = { service: "mcp-gateway", ordinal: 1, port: 7420 } as const;

describe("what a service is told", () => {
  test("only task-control can sign a stop", () => {
    expect(environmentOf(taskControl, around, {}).HOLDFAST_STOP_PRIVATE_KEY).toBe("private");
    for (const self of [worker, gateway]) {
      const env = environmentOf(self, around, { HOLDFAST_STOP_PRIVATE_KEY: "ours" });
      expect(env.HOLDFAST_STOP_PRIVATE_KEY).toBeUndefined();
      expect(env.HOLDFAST_STOP_PUBLIC_KEY).toBe("public");
      expect(env.HOLDFAST_STOP_NATS_URL).toContain("worker:pw-worker@");
    }
  });

  test("a worker that is started again has another name", () => {
    const names = [1, 2].map(() => environmentOf(worker, around, {}).HOLDFAST_WORKER_ID ?? "");
    expect(names[0]).toMatch(/^w2-[0-9a-f]{6}$/);
    expect(names[0]).not.toBe(names[1]);
  });

  test("a gateway without authorisation gets no token, not even ours", () => {
    const open = { ...around, options: { ...around.options, noAuth: true } };
    expect(environmentOf(gateway, open, { HOLDFAST_TOKEN: "ours" }).HOLDFAST_TOKEN).toBeUndefined();
    expect(environmentOf(gateway, around, {}).HOLDFAST_TOKEN).toBe("the-token");
  });

  test("only workers know of the browser", () => {
    expect(environmentOf(worker, around, {})).toMatchObject({
      HOLDFAST_CHROMIUM: "/usr/bin/chromium",
      HOLDFAST_HEADED: "1",
    });
    expect(environmentOf(gateway, around, {}).HOLDFAST_CHROMIUM).toBeUndefined();
  });

  test("with a server of one's own the stop address and keys are those that were given", () => {
    const own = { ...around, bus: { embedded: false, url: "nats://cluster:4222" } as const };
    const env = environmentOf(worker, own, {
      HOLDFAST_STOP_NATS_URL: "nats://ctrl:4222",
      HOLDFAST_STOP_PUBLIC_KEY: "theirs",
    });
    expect(env).toMatchObject({ HOLDFAST_STOP_NATS_URL: "nats://ctrl:4222", HOLDFAST_STOP_PUBLIC_KEY: "theirs" });
    expect(environmentOf(worker, own, {}).HOLDFAST_STOP_NATS_URL).toBe("nats://cluster:4222");
  });
});
