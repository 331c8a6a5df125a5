import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Stack, StackEvent, StackOptions } from "../../src/stack/options.js";
import { isAlive } from "../../src/stack/processes.js";
import { startStack } from "../../src/stack/start.js";

const fake = fileURLToPath(new URL("../fixtures/service.mjs", import.meta.url));
const entries = { "task-control": fake, "browser-worker": fake, "mcp-gateway": fake };

let dir = "";
let stack: Stack | null = null;
const events: StackEvent[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-stack-"));
  events.length = 0;
});
afterEach(async () => {
  await stack?.stop("SIGKILL");
  stack = null;
  rmSync(dir, { recursive: true, force: true });
});

async function start(more: Partial<StackOptions> = {}): Promise<Stack> {
  const onEvent = (event: StackEvent) => void events.push(event);
  stack = await startStack({ stateDir: dir, browser: "/bin/true", entries, onEvent, ...more });
  return stack;
}

const pidOf = (running: Stack, name: string) => running.children.find((child) => child.name === name)?.pid ?? 0;
const until = (condition: () => boolean) => expect.poll(condition, { timeout: 10_000, interval: 20 }).toBe(true);

describe("a stack that starts", () => {
  test("is ready when every child is, task-control before those that need its streams", async () => {
    const running = await start({ workers: 2, gateways: 2 });
    expect(running.children.map((child) => [child.name, child.state])).toEqual([
      ["nats-server", "running"],
      ["task-control", "running"],
      ["browser-worker", "running"],
      ["browser-worker-2", "running"],
      ["mcp-gateway", "running"],
      ["mcp-gateway-2", "running"],
    ]);
    const order = events.filter((event) => event.event === "ready").map((event) => event.child);
    expect(order.slice(0, 2)).toEqual(["nats-server", "task-control"]);
  });

  test("tells its addresses in a file that nobody else can read, and removes it at the end", async () => {
    const running = await start();
    const path = join(dir, "endpoint.json");
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(running.endpoint);
    expect(running.endpoint).toMatchObject({ mcpUrl: "http://127.0.0.1:4321/mcp", pid: process.pid });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, "nats.conf")).mode & 0o777).toBe(0o600);
    await running.stop();
    expect(existsSync(path)).toBe(false);
  });

  test("refuses a folder that another stack has, and leaves that one alone", async () => {
    const running = await start();
    await expect(startStack({ stateDir: dir, browser: "/bin/true", entries })).rejects.toThrow("runs already");
    expect(isAlive(pidOf(running, "task-control"))).toBe(true);
  });

  test("that cannot start says why, with the end of the log, and leaves nothing running", async () => {
    await expect(start({ env: { FAKE_REFUSES: "1" } })).rejects.toThrow(
      /task-control ended before.*exit code 3[\s\S]*the fake will not start/,
    );
    expect(readdirSync(dir)).not.toContain("holdfast.pid");
    const left = Number(readFileSync(join(dir, "nats.pid"), "utf8"));
    expect(isAlive(left)).toBe(false);
  });
});

describe("a stack that is ended while it starts", () => {
  test.each(["nats-server", "task-control", "browser-worker"])("at %s leaves nothing running", async (child) => {
    const ending = new AbortController();
    const seen: number[] = [];
    const onEvent = (event: StackEvent) => {
      if (event.event !== "starting") return;
      seen.push(Number(/process (\d+)/.exec(event.text)?.[1]));
      if (event.child === child) ending.abort();
    };
    await expect(start({ onEvent, signal: ending.signal })).rejects.toThrow("ended while it started");
    expect(seen.filter(isAlive)).toEqual([]);
    expect(readdirSync(dir)).not.toContain("holdfast.pid");
  });
});

describe("a stack that runs", () => {
  test("starts a child again that was killed, under a new pid and on its old port", async () => {
    const running = await start();
    const before = running.children.find((child) => child.name === "mcp-gateway");
    process.kill(before?.pid ?? 0, "SIGKILL");
    await until(() =>
      running.children.some(
        (child) => child.name === "mcp-gateway" && child.state === "running" && child.pid !== before?.pid,
      ),
    );
    expect(running.children.find((child) => child.name === "mcp-gateway")?.port).toBe(before?.port);
  });

  test("starts its server again on the same port", async () => {
    const running = await start();
    const before = pidOf(running, "nats-server");
    process.kill(before, "SIGKILL");
    await until(() => pidOf(running, "nats-server") !== before && running.children[0]?.state === "running");
  });

  test("takes a service that ends well by itself for a quit: nothing is started again, and the code is 0", async () => {
    const running = await start();
    const pids = running.children.map((child) => child.pid);
    for (const name of ["browser-worker", "mcp-gateway", "task-control"]) process.kill(pidOf(running, name), "SIGUSR2");
    expect(await running.closed).toEqual({ code: 0 });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(events.some((event) => event.event === "restarting")).toBe(false);
  });
});

describe("a stack that is stopped", () => {
  test("ends callers first, then workers, then task-control, then the server", async () => {
    const running = await start();
    await running.stop();
    const order = events.filter((event) => event.event === "exited").map((event) => event.child);
    expect(order).toEqual(["mcp-gateway", "browser-worker", "task-control", "nats-server"]);
    expect(await running.closed).toEqual({ code: 0 });
  });

  test("ends at once and all of it when it is told to, even what does not listen", async () => {
    const running = await start({ env: { FAKE_STUBBORN: "1" } });
    const pids = running.children.map((child) => child.pid);
    await running.stop("SIGKILL");
    expect(pids.filter(isAlive)).toEqual([]);
  });
});
