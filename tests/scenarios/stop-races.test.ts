import { connectBus, followFacts } from "@holdfast/bus";
import type { FactRecord } from "@holdfast/protocol";
import {
  type PageServer,
  startPageServer,
  startTestStack,
  type TestStack,
  type ToolAnswer,
  until,
} from "@holdfast/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifies } from "../promises.js";
import {
  type Client,
  ended,
  nextTask,
  SOON_MS,
  type Stopped,
  statusOf,
  stopOf,
  taskIn,
  told,
  type Work,
} from "../support/work.js";

const RACES = 200;
const PROJECT = "races";
const ENDS = ["finished", "failed", "stopped", "lost"];

let stack: TestStack;
let pages: PageServer;
let worker: Client;
let stopper: Client;
const facts: FactRecord[] = [];
let quiet: () => Promise<void>;

beforeAll(async () => {
  pages = await startPageServer();
  stack = await startTestStack();
  [worker, stopper] = await Promise.all([stack.client(), stack.client()]);
  const bus = await connectBus({ url: stack.endpoint.natsUrl, name: "a test" });
  const following = await followFacts(bus, { workspaceId: PROJECT }, (record) => facts.push(record));
  quiet = async () => {
    await following.stop();
    await bus.drain();
  };
  const first = await taskIn(stack, PROJECT, pages.url("/a"));
  told(await first.call("task_finish"));
});

afterAll(async () => {
  await quiet?.();
  await stack?.stop();
  await pages?.close();
});

/** When the stop is sent: with the call, as the call's effect is seen, with its answer, or after it. */
const MOMENTS = ["with the call", "at its effect", "a little later", "at its answer"] as const;

interface Race {
  readonly work: Work;
  readonly operationId: string;
  readonly stop: Stopped;
  readonly answer: ToolAnswer;
}

async function race(index: number): Promise<Race> {
  const work = await nextTask(worker, PROJECT);
  const operationId = `race-${index}`;
  const script = `async () => (await fetch("/hit?id=${operationId}", { method: "POST" })).text()`;
  const calling = work.call("browser_evaluate", { function: script, operationId });
  const moment = MOMENTS[index % MOMENTS.length];
  if (moment === "at its answer") await calling;
  else if (moment !== "with the call")
    await until(() => pages.hits(operationId) > 0, { deadlineMs: SOON_MS, why: "the call acts" });
  // As many round trips of its own as it takes to come between the effect and the end, now earlier and now later.
  if (moment === "a little later") for (let i = 0; i < index % 5; i += 1) await stopper.call("view_status");
  const [stop, answer] = await Promise.all([stopOf(stopper, work), calling]);
  return { work, operationId, stop, answer };
}

test(verifies("stop.against-completion"), { timeout: 300_000 }, async () => {
  const seen: Record<End, number> = { done: 0, stopped: 0, discarded: 0, refused: 0 };
  for (let index = 0; index < RACES; index += 1) {
    const { work, operationId, stop, answer } = await race(index);
    await ended(stopper, work);
    seen[await endOf({ work, operationId, stop, answer })] += 1;
    await asStored({ work, operationId, stop, answer });
  }
  const races = JSON.stringify(seen);
  expect(seen.done, `some calls won: ${races}`).toBeGreaterThan(0);
  expect(seen.stopped, `some stops won: ${races}`).toBeGreaterThan(0);
  await eachOnceInTheFacts();
});

/** How a call ended: by itself, cut, discarded from the queue, or refused because the stop was there before it. */
type End = "done" | "stopped" | "discarded" | "refused";

/** The one end of a call. It is told in several places, and all of them have to tell the same. */
async function endOf({ operationId, stop, answer }: Race): Promise<End> {
  const { operations } = await statusOf(stopper, PROJECT);
  const outcomes = operations.filter((op) => op.operationId === operationId).map(({ outcome }) => outcome);
  const hits = pages.hits(operationId);
  const about = JSON.stringify({ operationId, stop, outcomes, code: answer.code, hits });
  if (answer.ok) {
    expect([outcomes, stop.discarded, hits], about).toEqual([["done"], 0, 1]);
    return "done";
  }
  expect(answer.code, about).toBe("MCP_STOPPED");
  if (outcomes.length > 0) {
    expect([outcomes, stop.discarded, stop.interrupted?.operationId], about).toEqual([["stopped"], 0, operationId]);
    return "stopped";
  }
  expect([stop.interrupted, hits], about).toEqual([null, 0]);
  return stop.discarded === 0 ? "refused" : "discarded";
}

/** Asked again by its id, a call gives the end that it was given, and a stop the end that it gave. */
async function asStored({ work, operationId, stop, answer }: Race): Promise<void> {
  const script = `async () => (await fetch("/hit?id=${operationId}", { method: "POST" })).text()`;
  const before = pages.hits(operationId);
  const again = await work.call("browser_evaluate", { function: script, operationId });
  expect([again.ok, again.code]).toEqual([answer.ok, answer.code]);
  expect(pages.hits(operationId)).toBe(before);
  const stopAgain = await stopOf(stopper, work);
  expect([stopAgain.state, stopAgain.discarded]).toEqual(["already_ended", stop.discarded]);
}

/** No operation and no execution has two ends among the facts, and no execution has none. */
async function eachOnceInTheFacts(): Promise<void> {
  const executionEnds = (): string[] =>
    facts.flatMap(({ fact }) => (fact.fact === "execution.moved" && ENDS.includes(fact.state) ? [fact.id] : []));
  await until(() => executionEnds().length >= RACES + 1, { deadlineMs: SOON_MS, why: "every task's end is a fact" });
  expect(new Set(executionEnds()).size).toBe(executionEnds().length);
  const operationEnds = facts.flatMap(({ fact }) => (fact.fact === "operation.ended" ? [fact.operationId] : []));
  expect(new Set(operationEnds).size).toBe(operationEnds.length);
}

test(verifies("stop.against-completion", "of the task itself"), { timeout: 120_000 }, async () => {
  const seen = { finished: 0, stopped: 0 };
  for (let index = 0; index < RACES; index += 1) {
    const work = await nextTask(worker, PROJECT);
    const finishing = (): Promise<ToolAnswer> => work.call("task_finish");
    const stopping = (): Promise<Stopped> => stopOf(stopper, work);
    const [finish, stop] =
      index % 2 === 0
        ? await Promise.all([finishing(), stopping()])
        : await Promise.all([stopping(), finishing()]).then(([stopped, finished]) => [finished, stopped] as const);
    const { state } = told<{ state: "finished" | "stopped" }>(finish);
    expect(stop.state).toBe(state === "finished" ? "already_ended" : "stopped");
    expect(stop.requested).toBe(state === "stopped");
    expect(told<{ state: string }>(await work.call("task_status"))).toMatchObject({ state });
    seen[state] += 1;
  }
  expect(Math.min(seen.finished, seen.stopped), JSON.stringify(seen)).toBeGreaterThan(0);
});
