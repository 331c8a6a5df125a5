import { holds, type PageServer, startPageServer, startTestStack, type TestStack, until } from "@holdfast/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import {
  type Client,
  ended,
  fine,
  loopAfterHit,
  nextTask,
  pendingAre,
  SOON_MS,
  type Stopped,
  statusOf,
  stopOf,
  taskIn,
  taskState,
  within,
} from "../support/work.js";

/** A counter that stands for this long, in ms, does not rise any more: its page raises it every few. */
const STANDS_MS = 500;

let stack: TestStack;
let pages: PageServer;
let other: Client;

beforeAll(async () => {
  pages = await startPageServer();
  stack = await startTestStack();
  other = await stack.client();
});

afterAll(async () => {
  await stack?.stop();
  await pages?.close();
});

const hitsReach = (id: string, count: number): Promise<unknown> =>
  until(() => pages.hits(id) >= count, { deadlineMs: SOON_MS, why: `the counter ${id} reaches ${count}` });

describe("what a stop leaves alone, and what it leaves free", () => {
  test(verifies("stop.others-do-not-notice"), async () => {
    const loops = await taskIn(stack, "loops", pages.url("/a"));
    const neighbours = await Promise.all(
      ["near", "far"].map((name) => taskIn(stack, name, pages.url(`/hit?id=${name}`))),
    );
    const inFlight = loops.call("browser_evaluate", { function: loopAfterHit("loops") });
    await hitsReach("loops", 1);

    let goesOn = true;
    const clicking = neighbours.map(async (work) => {
      let clicks = 0;
      for (; goesOn || clicks < 5; clicks += 1) fine(await work.call("browser_click", { target: "#hit" }));
      await hitsReach(work.workspaceId, clicks);
      return { work, clicks };
    });
    await stopOf(other, loops);
    await ended(other, loops);
    expect((await inFlight).code).toBe("MCP_STOPPED");
    goesOn = false;

    for (const { work, clicks } of await Promise.all(clicking)) {
      expect(pages.hits(work.workspaceId)).toBe(clicks);
      expect(await taskState(other, work)).toBe("running");
      expect(fine(await work.call("browser_snapshot")).text).toContain(`count: ${clicks}`);
    }
  });

  test(verifies("stop.frees-the-project"), async () => {
    const work = await taskIn(stack, "frees", pages.url("/b"));
    const inFlight = work.call("browser_wait_for", { time: 30 });
    await pendingAre(other, work.workspaceId, 1);
    const { tabId } = (await statusOf(other, work.workspaceId)).cursor ?? {};
    const stopped: Stopped = await stopOf(other, work);
    if (stopped.state === "stopping") await ended(other, work);

    const next = await nextTask(other, work.workspaceId);
    const read = fine(await within(SOON_MS, next.call("browser_snapshot"), "the next task reads at once"));
    expect(read.meta.target).toMatchObject({ tabId, url: pages.url("/b") });
    fine(await within(SOON_MS, next.call("browser_click", { target: "#press" }), "the next task acts at once"));
    expect(fine(await next.call("browser_snapshot")).text).toContain("pressed: press beta");
    expect((await inFlight).code).toBe("MCP_STOPPED");
    expect((await work.call("browser_click", { target: "#press" })).code).toBe("MCP_STOPPED");
  });

  test(verifies("stop.ends-the-work", "a script that goes on by itself"), async () => {
    const work = await taskIn(stack, "rises", pages.url("/b"));
    const script = `() => new Promise(() => setInterval(() => fetch("/hit?id=rises", { method: "POST" }), 10))`;
    const inFlight = work.call("browser_evaluate", { function: script });
    await hitsReach("rises", 3);
    await stopOf(other, work);
    await ended(other, work);
    expect((await inFlight).code).toBe("MCP_STOPPED");
    await standsStill("rises");
  });

  test(verifies("stop.ends-the-work", "a queue of clicks"), async () => {
    const work = await taskIn(stack, "clicks", pages.url("/count?id=clicks"));
    const clicks = Array.from({ length: 100 }, () => work.call("browser_click", { target: "#hit" }));
    await hitsReach("clicks", 3);
    const { discarded } = await stopOf(other, work);
    await ended(other, work);
    const done = (await Promise.all(clicks)).filter(({ ok }) => ok).length;
    await standsStill("clicks");
    expect(discarded).toBeGreaterThan(0);
    expect([done, done + 1]).toContain(pages.hits("clicks"));
    expect(discarded + done).toBeLessThanOrEqual(100);
  });

  async function standsStill(id: string): Promise<void> {
    // What was on its way when the stop came may still arrive.
    let last = -1;
    const quiet = (): boolean => {
      const before = last;
      last = pages.hits(id);
      return last === before;
    };
    await until(quiet, { deadlineMs: SOON_MS, why: `the counter ${id} stands` });
    const count = pages.hits(id);
    await holds(() => pages.hits(id) === count, STANDS_MS, `the counter ${id} stands at ${count}`);
  }
});
