import { type Bus, connectBus, openTabTables, provision } from "@holdfast/bus";
import { asFailure, type Failure } from "@holdfast/protocol";
import { startNats, type TestNats } from "@holdfast/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Decision } from "../src/core/inputs.js";
import type { ProjectState } from "../src/core/state.js";
import type { Parts } from "../src/parts.js";
import { projectHandlers } from "../src/project.js";
import { quit } from "../src/quit.js";
import { openQuitMark } from "../src/quit-mark.js";
import { openStore } from "../src/store.js";

const RACES = 200;

let nats: TestNats;
const buses: Bus[] = [];
let quitter: Parts;
let starter: Parts;

beforeAll(async () => {
  nats = await startNats();
  quitter = await replica("quitter");
  starter = await replica("starter");
});

afterAll(async () => {
  await Promise.all(buses.map((bus) => bus.drain()));
  await nats?.stop();
});

/** A replica of task-control as far as quits and starts reach: its own connection and its own memory, no worker. */
async function replica(name: string): Promise<Parts> {
  const bus = await connectBus({ url: nats.url, name });
  buses.push(bus);
  await provision(bus);
  const now = () => new Date();
  const store = await openStore(bus, {
    now,
    abort: () => undefined,
    endOf: async () => null,
    caughtUp: () => undefined,
  });
  let minted = 0;
  const parts: Partial<Parts> = {
    bus,
    store,
    quitMark: await openQuitMark(bus, now),
    tabs: await openTabTables(bus),
    mintTab: async () => {
      minted += 1;
      return `${name}-${minted}`;
    },
    effects: {
      abort: () => undefined,
      aborted: async () => null,
      publish: () => undefined,
      tell: () => undefined,
      enqueue: async () => undefined,
    },
    workers: {
      holder: () => null,
      ensure: () => Promise.reject(new Error("no worker")),
      list: () => [],
      forget: () => undefined,
      gone: async () => [],
    },
    views: { get: async () => null, set: async () => undefined, of: () => [], byTab: () => ({}) },
    restores: { get: async () => null, add: async () => undefined, list: async () => [], clear: async () => undefined },
    memory: { get: async () => ({}), set: async () => ({}) } as Parts["memory"],
  };
  return parts as Parts;
}

async function open(parts: Parts, workspaceId: string): Promise<unknown> {
  return projectHandlers(parts).project_open({ workspaceId }, {});
}

function start(workspaceId: string, id: string): Promise<Decision> {
  const named = { kind: "task", id, profileId: "default", goal: "", owner: "a test", newTab: "report" } as const;
  return starter.store.apply(workspaceId, { input: "start", ...named });
}

async function failureOf(asked: Promise<unknown>): Promise<Failure | null> {
  return asked.then(() => null, asFailure);
}

/** The next start of the stack, as far as the state is concerned. */
async function restart(): Promise<void> {
  await quitter.quitMark.lower();
  for (const workspaceId of await quitter.store.list()) await quitter.store.apply(workspaceId, { input: "restart" });
}

/** So many round trips later. */
async function later(parts: Parts, trips: number): Promise<void> {
  for (let i = 0; i < trips; i += 1) await parts.store.find("idle");
}

test("of a quit and a task that starts one is refused, on two replicas, 200 times", { timeout: 120_000 }, async () => {
  for (const workspaceId of ["before", "idle", "raced"]) await open(starter, workspaceId);
  const seen = { quit: 0, start: 0 };
  for (let index = 0; index < RACES; index += 1) {
    const id = `task-${index}`;
    const starting = later(starter, index % 9).then(() => start("raced", id));
    const [refused, started] = await Promise.all([failureOf(quit(quitter)), starting]);
    const state = await starter.store.get("raced");
    if (refused === null) {
      expect(started.reply).toMatchObject({ reply: "refused", failure: { code: "MCP_CLOSING" } });
      expect([state.execution, state.quit?.phase]).toEqual([null, "closing"]);
      seen.quit += 1;
      await restart();
    } else {
      expect(refused).toMatchObject({
        code: "MCP_BACKGROUND_PROJECT_RUNNING",
        details: { blockers: [{ workspaceId: "raced", execution: { id } }] },
      });
      expect([started.reply.reply, state.execution?.state]).toEqual(["execution", "running"]);
      expect((await starter.store.get("idle")).quit).toBeNull();
      seen.start += 1;
      await starter.store.apply("raced", { input: "finish", taskId: id, state: "finished", result: null });
    }
  }
  expect(Math.min(seen.quit, seen.start), JSON.stringify(seen)).toBeGreaterThan(0);
});

test("of a quit and a project that is new, with a task in it, one is refused, 100 times", {
  timeout: 120_000,
}, async () => {
  const seen = { quit: 0, start: 0 };
  for (let index = 0; index < RACES / 2; index += 1) {
    const workspaceId = `new-${index}`;
    const opening = async (): Promise<Failure | null> => {
      await later(starter, index % 7);
      const refused = await failureOf(open(starter, workspaceId));
      if (refused) return refused;
      const { reply } = await start(workspaceId, "first");
      return reply.reply === "refused" ? reply.failure : null;
    };
    const [quitRefused, startRefused] = await Promise.all([failureOf(quit(quitter)), opening()]);
    expect([quitRefused?.code, startRefused?.code]).toEqual(
      quitRefused ? ["MCP_BACKGROUND_PROJECT_RUNNING", undefined] : [undefined, "MCP_CLOSING"],
    );
    seen[quitRefused ? "start" : "quit"] += 1;
    if (quitRefused)
      await starter.store.apply(workspaceId, { input: "finish", taskId: "first", state: "finished", result: null });
    else await restart();
  }
  expect(Math.min(seen.quit, seen.start), JSON.stringify(seen)).toBeGreaterThan(0);
});

test("of two quits at once one is granted, and the other is told that everything closes", async () => {
  for (let index = 0; index < 20; index += 1) {
    const told = await Promise.all([quitter, starter].map((parts) => failureOf(quit(parts))));
    const codes = told.map((refused) => refused?.code ?? "granted");
    expect(codes.sort(), JSON.stringify([index, told])).toEqual(["MCP_CLOSING", "granted"]);
    await restart();
  }
});

test("a quit that is refused gives every project back at once", async () => {
  await start("raced", "blocks");
  const before = await states();
  const refusals = await Promise.all([quitter, starter, quitter].map((parts) => failureOf(quit(parts))));
  expect(new Set(refusals.map((told) => told?.code))).toEqual(new Set(["MCP_BACKGROUND_PROJECT_RUNNING"]));
  expect(await states()).toEqual(before);
});

async function states(): Promise<ProjectState[]> {
  const names = (await starter.store.list()).sort();
  return Promise.all(names.map((workspaceId) => starter.store.get(workspaceId)));
}
