import { holds, type PageServer, startPageServer, startTestStack, type TestStack, until } from "@holdfast/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { drafted, memoryOf } from "../support/kept.js";
import { openTab, projectAt, tabsOf } from "../support/scene.js";
import { type Client, fine, nextTask, told } from "../support/work.js";

/** What the stack of this file allows: few enough that a test need not open many. */
const PER_PROJECT = 3;
const PER_WORKER = 6;
const IDLE_MS = 4_000;
/** Tabs that should sleep do so within this, in ms, on a slow machine too. */
const ASLEEP_MS = 20_000;
/** Projects of the test that holds many; the whole is asked for by `HOLDFAST_MANY_PROJECTS=100`. */
const MANY = Number(process.env.HOLDFAST_MANY_PROJECTS ?? 12);
const TABS = 5;

let pages: PageServer;
let stack: TestStack;
let client: Client;

beforeAll(async () => {
  pages = await startPageServer();
  const limits = { HOLDFAST_AWAKE_PER_PROJECT: String(PER_PROJECT), HOLDFAST_AWAKE_PER_WORKER: String(PER_WORKER) };
  stack = await startTestStack({
    env: { ...limits, HOLDFAST_TAB_IDLE_MS: String(IDLE_MS), HOLDFAST_CONTEXT_IDLE_MS: "1000" },
  });
  client = await stack.client();
});

afterAll(async () => {
  await stack?.stop();
  await pages?.close();
});

const asleep = (workspaceId: string, ids: readonly string[]): Promise<unknown> => {
  const look = async (): Promise<boolean> => {
    const tabs = await tabsOf(client, workspaceId);
    return ids.every((id) => tabs.find(({ tabId }) => tabId === id)?.state === "sleeping");
  };
  return until(look, { deadlineMs: ASLEEP_MS, why: `${ids.join(", ")} of ${workspaceId} sleep` });
};

async function awakeIn(workspaceId: string): Promise<string[]> {
  return (await tabsOf(client, workspaceId)).filter(({ state }) => state !== "sleeping").map(({ tabId }) => tabId);
}

describe("tabs that nobody uses", () => {
  test(verifies("sleep.limit"), async () => {
    const workspaceId = "limit";
    const [first = "", ...rest] = await projectAt(client, workspaceId, [pages.url("/a")]);
    const others: string[] = [...rest];
    for (let index = 1; index <= PER_PROJECT; index += 1) {
      others.push(await openTab(client, { workspaceId, url: pages.url(`/b?m=n${index}`) }));
    }
    await asleep(workspaceId, [first]);
    const woken = fine(await client.call("browser_snapshot", { workspaceId, tabId: first }));
    expect(woken.meta.target).toMatchObject({ tabId: first, url: pages.url("/a") });
    expect(woken.text).toContain("alpha");
    await asleep(workspaceId, [others[0] ?? ""]);
  });

  test(verifies("sleep.wakes"), async () => {
    const workspaceId = "wakes";
    const [form = ""] = await projectAt(client, workspaceId, [pages.url("/form")]);
    fine(await client.call("browser_type", { workspaceId, target: "#text", text: "half a sentence" }));
    const tall = await openTab(client, { workspaceId, url: pages.url("/tall") });
    fine(await client.call("browser_evaluate", { workspaceId, tabId: tall, function: "() => scrollTo(0, 987)" }));
    await asleep(workspaceId, [form, tall]);
    const at = { workspaceId, tabId: tall, function: "() => scrollY" };
    expect(fine(await client.call("browser_evaluate", at)).text).toContain("987");
    told(await client.call("browser_tabs", { workspaceId, action: "select", tabId: form }));
    expect(await drafted(client, workspaceId, ["text"])).toEqual(["half a sentence"]);
  });

  test(verifies("sleep.touches-nothing"), async () => {
    const workspaceId = "editor";
    const [only = ""] = await projectAt(client, workspaceId, [pages.url("/editor")]);
    fine(await client.call("browser_click", { workspaceId, target: "#blue" }));
    const type = "for (let n = 0; n < 12; n += 1) document.getElementById('added-' + n).value = 'typed';";
    fine(await client.call("browser_evaluate", { workspaceId, function: `() => { add(12); ${type} }` }));
    const before = pages.hits("editor");
    await asleep(workspaceId, [only]);
    // Fields that are not there again are not waited for one by one: the first call finds the tab awake.
    fine(await client.call("browser_snapshot", { workspaceId }));
    const seen = "() => document.getElementById('rich').innerHTML + ' ' + document.getElementById('blue').checked";
    const { text } = fine(await client.call("browser_evaluate", { workspaceId, function: seen }));
    expect(text).toContain("<b>bold</b> as it came true");
    // The choice that was brought back is the one change that the site heard of.
    expect(pages.hits("editor") - before).toBe(1);
  });

  test(verifies("sleep.idle"), async () => {
    const workspaceId = "idle";
    const [only = ""] = await projectAt(client, workspaceId, [pages.url("/login?user=ann")]);
    await asleep(workspaceId, [only]);
    // Its context is given back too: what it kept is in the next one.
    const whoami = await openTab(client, { workspaceId, url: pages.url("/whoami") });
    const { text } = fine(await client.call("browser_snapshot", { workspaceId, tabId: whoami }));
    expect([text.includes("cookie: ann"), text.includes("stored: ann")]).toEqual([true, true]);
  });

  test(verifies("sleep.one-page"), async () => {
    const workspaceId = "one-page";
    const [only = ""] = await projectAt(client, workspaceId, [pages.url("/form")]);
    fine(await client.call("browser_type", { workspaceId, target: "#text", text: "typed before" }));
    await asleep(workspaceId, [only]);
    const before = pages.requests.filter(({ path }) => path === "/form").length;
    const read = () => client.call("browser_snapshot", { workspaceId, tabId: only });
    const answers = await Promise.all(Array.from({ length: 12 }, read));
    for (const answer of answers) expect(fine(answer).text).toContain("typed before");
    expect(pages.requests.filter(({ path }) => path === "/form")).toHaveLength(before + 1);
  });
});

describe("tabs that somebody counts on", () => {
  test(verifies("sleep.spares"), async () => {
    const workspaceId = "spares";
    const [cursor = ""] = await projectAt(client, workspaceId, [pages.url("/a")]);
    const asks = await openTab(client, { workspaceId, url: pages.url("/dlg?kind=confirm&when=click") });
    const typed = await openTab(client, { workspaceId, url: pages.url("/form") });
    const plain = await openTab(client, { workspaceId, url: pages.url("/b") });
    fine(
      await client.call("browser_type", { workspaceId, tabId: typed, target: "#password", text: "not to be saved" }),
    );
    fine(
      await client.call("browser_evaluate", {
        workspaceId,
        tabId: asks,
        function: "() => { setTimeout(() => confirm('sure?'), 0); }",
      }),
    );
    const work = await nextTask(client, workspaceId);
    await asleep(workspaceId, [plain]);
    const spared = [cursor, asks, typed].sort().join();
    await holds(
      async () => (await awakeIn(workspaceId)).sort().join() === spared,
      IDLE_MS * 2,
      "those three are awake",
    );
    told(await work.call("task_finish"));
    await asleep(workspaceId, [cursor]);
  });
});

describe("one worker", () => {
  test(verifies("sleep.many-projects"), { timeout: MANY * 20_000 }, async () => {
    const memory: number[] = [];
    for (let index = 0; index < MANY; index += 1) {
      const workspaceId = `many-${index}`;
      await projectAt(client, workspaceId, [pages.url(`/a?m=p${index}`)]);
      for (let tab = 1; tab < TABS; tab += 1)
        await openTab(client, { workspaceId, url: pages.url(`/b?m=p${index}t${tab}`) });
      memory.push(privateMegabytes());
    }
    const times: number[] = [];
    for (let index = 0; index < MANY; index += 1) {
      const workspaceId = `many-${index}`;
      const [tab] = (await tabsOf(client, workspaceId)).filter(({ state }) => state === "sleeping");
      if (!tab) continue;
      const begun = performance.now();
      const { text } = fine(await client.call("browser_snapshot", { workspaceId, tabId: tab.tabId }));
      times.push(performance.now() - begun);
      expect(text).toContain(`p${index}`);
    }
    times.sort((a, b) => a - b);
    const half = memory[Math.floor(memory.length / 2)] ?? 0;
    const last = memory.at(-1) ?? 0;
    const told = {
      projects: MANY,
      tabs: MANY * TABS,
      half,
      last,
      wakeMedian: times[Math.floor(times.length / 2)],
      wakes: times.length,
    };
    console.info(`many projects: ${JSON.stringify(told)}`);
    expect(times.length).toBeGreaterThan(MANY / 2);
    // Twice the projects, and nearly the same memory: what is awake is bounded.
    expect(last).toBeLessThan(half * 1.5 + 100);
  });

  /** What the browser's processes have for themselves, in MB. */
  function privateMegabytes(): number {
    const browsers = stack
      .processes()
      .filter(({ command }) => command.includes("--type=") || command.includes("--user-data-dir"));
    return Math.round(browsers.reduce((sum, { pid }) => sum + memoryOf(pid), 0));
  }
});
