import { rmSync } from "node:fs";
import { type Bus, call, connectBus } from "@holdfast/bus";
import { type Answer, type OperationName, operationNamed } from "@holdfast/protocol";
import { startTestStack, type TestStack } from "@holdfast/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifies } from "../promises.js";

/** Races that a third project decides: it is busy, so the quit has to be refused and the task has to be taken. */
const RACES_DECIDED = 180;
/** Races that either may win. A quit that wins ends the stack, and the next race begins with a new start. */
const RACES_OPEN = 20;
/** Round trips by which the start is later: from none to what a quit needs to ask every project, so that each side wins some. */
const TRIPS = [0, 3, 12];

let stack: TestStack;
let quitter: Bus;
let starter: Bus;

/** Task-control and the bus as they are, and nothing else: no browser, so that a start is quick. */
async function up(stateDir?: string): Promise<void> {
  stack = await startTestStack({ workers: 0, gateways: 0, keepState: true, ...(stateDir ? { stateDir } : {}) });
  const url = stack.endpoint.natsUrl;
  [quitter, starter] = await Promise.all([connectBus({ url, name: "quitter" }), connectBus({ url, name: "starter" })]);
}

async function hangUp(): Promise<void> {
  await Promise.allSettled([quitter, starter].map((bus) => bus?.nc.close()));
}

beforeAll(() => up());

afterAll(async () => {
  await hangUp();
  await stack?.stop();
  if (stack) rmSync(stack.stateDir, { recursive: true, force: true });
});

function ask(bus: Bus, name: OperationName, request: Record<string, unknown> = {}): Promise<Answer> {
  return call(bus, operationNamed(name), request, { caller: "a test" });
}

async function done(asked: Promise<Answer>): Promise<unknown> {
  const answer = await asked;
  if (!answer.ok) throw new Error(`${answer.failure.code}: ${answer.failure.message}`);
  return answer.result;
}

const codeOf = (answer: Answer): string => (answer.ok ? "done" : answer.failure.code);

/** Sends both, the task after as many round trips as `trips`. */
function race(taskId: string, trips: number): Promise<[Answer, Answer]> {
  const start = async (): Promise<Answer> => {
    for (let i = 0; i < trips; i += 1) if (!(await ask(starter, "view_status")).ok) break;
    return ask(starter, "task_start", { workspaceId: "raced", taskId });
  };
  return Promise.all([ask(quitter, "system_quit"), start()]);
}

const stateOf = async (taskId: string): Promise<unknown> =>
  done(ask(starter, "task_status", { workspaceId: "raced", taskId })).then((task) => (task as { state: string }).state);

test(verifies("quit.against-start"), { timeout: 300_000 }, async () => {
  for (const workspaceId of ["idle", "raced", "third"]) await done(ask(starter, "project_open", { workspaceId }));
  await done(ask(starter, "task_start", { workspaceId: "third", taskId: "holds" }));
  for (let index = 0; index < RACES_DECIDED; index += 1) {
    const taskId = `decided-${index}`;
    const answers = await race(taskId, index % 5);
    expect(answers.map(codeOf)).toEqual(["MCP_BACKGROUND_PROJECT_RUNNING", "done"]);
    expect(await stateOf(taskId)).toBe("running");
    await done(ask(starter, "task_finish", { workspaceId: "raced", taskId }));
  }
  await done(ask(starter, "task_finish", { workspaceId: "third", taskId: "holds" }));

  const won = { quit: 0, start: 0 };
  for (let index = 0; index < RACES_OPEN; index += 1) won[await openRace(index)] += 1;
  expect(won.quit + won.start).toBe(RACES_OPEN);
  expect(Math.min(won.quit, won.start), JSON.stringify(won)).toBeGreaterThan(0);
});

async function openRace(index: number): Promise<"quit" | "start"> {
  const taskId = `open-${index}`;
  // The start sets out first in every other race, so that each of the two wins some.
  const [quit, start] =
    index % 2 === 0 ? await race(taskId, TRIPS[index % TRIPS.length] ?? 0) : await raceFromStart(taskId);
  if (!quit.ok) {
    expect([codeOf(quit), codeOf(start)]).toEqual(["MCP_BACKGROUND_PROJECT_RUNNING", "done"]);
    expect(await stateOf(taskId)).toBe("running");
    await done(ask(starter, "task_finish", { workspaceId: "raced", taskId }));
    return "start";
  }
  // One that comes when everything is gone already finds nobody.
  expect(["MCP_CLOSING", "MCP_BUS_DOWN"]).toContain(codeOf(start));
  expect(await stack.stack.closed).toEqual({ code: 0 });
  await hangUp();
  await up(stack.stateDir);
  const after = await ask(starter, "task_status", { workspaceId: "raced", taskId });
  expect(codeOf(after)).toBe("MCP_TASK_NOT_FOUND");
  return "quit";
}

async function raceFromStart(taskId: string): Promise<[Answer, Answer]> {
  const starting = ask(starter, "task_start", { workspaceId: "raced", taskId });
  return Promise.all([ask(quitter, "system_quit"), starting]);
}
