import {
  type PageServer,
  startPageServer,
  startTestStack,
  type TestStack,
  type ToolAnswer,
  until,
} from "@holdfast/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { browserOf, freezeProcess } from "../support/faults.js";
import {
  type Client,
  ended,
  fine,
  loopAfterHit,
  pendingAre,
  SOON_MS,
  statusOf,
  stopOf,
  taskIn,
  taskState,
  told,
  within,
} from "../support/work.js";

let stack: TestStack;
let pages: PageServer;
let other: Client;

beforeAll(async () => {
  pages = await startPageServer();
  stack = await startTestStack({ workers: 2 });
  other = await stack.client();
});

afterAll(async () => {
  await stack?.stop();
  await pages?.close();
});

const soon = <T>(work: Promise<T>, why: string): Promise<T> => within(SOON_MS, work, why);

describe("a page that answers nothing", () => {
  test(verifies("hanging.state"), async () => {
    const work = await taskIn(stack, "blocked", pages.url("/spin?s=60"));
    const inFlight = work.call("browser_evaluate", { function: loopAfterHit("blocked") });
    await until(() => pages.hits("blocked") === 1, { deadlineMs: SOON_MS, why: "the page blocks its thread" });
    const told = await soon(
      Promise.all([
        other.call("project_status", { workspaceId: "blocked" }),
        other.call("task_status", { workspaceId: "blocked" }),
        other.call("system_status"),
        other.call("project_list"),
        other.call("browser_tabs", { action: "list", workspaceId: "blocked" }),
      ]),
      "state is told beside the blocked page",
    );
    expect(told.map(({ code }) => code)).toEqual([null, null, null, null, null]);
    const closing = await soon(other.call("project_close", { workspaceId: "blocked" }), "the close is answered");
    expect(closing.code).toBe("MCP_PROJECT_BUSY");
    expect((await soon(stopOf(other, work), "the stop is answered")).requested).toBe(true);
    await ended(other, work);
    expect((await inFlight).code).toBe("MCP_STOPPED");
    expect((await soon(other.call("project_close", { workspaceId: "blocked" }), "the project closes")).code).toBeNull();
  });

  test(verifies("hanging.reads"), async () => {
    const work = await taskIn(stack, "reads", pages.url("/a"));
    const inFlight = work.call("browser_wait_for", { time: 30 });
    await pendingAre(other, "reads", 1);
    const read = (tool: string, args = {}) =>
      soon(other.call(tool, { workspaceId: "reads", ...args }), `${tool} is answered`);
    const answers = await Promise.all([
      read("browser_tabs", { action: "list" }),
      read("browser_snapshot"),
      read("browser_take_screenshot", { fullPage: true }),
      read("browser_tabs", { action: "list" }),
    ]);
    for (const answer of answers) expect(fine(answer).meta.target?.url ?? pages.url("/a")).toBe(pages.url("/a"));
    expect(await taskState(other, work)).toBe("running");
    await stopOf(other, work);
    expect((await inFlight).code).toBe("MCP_STOPPED");
  });

  test(verifies("hanging.one-of-three"), async () => {
    const works = await Promise.all(["one", "two", "three"].map((name) => taskIn(stack, name, pages.url("/a"))));
    const calls = works.map((work) => work.call("browser_wait_for", { time: 2 }));
    for (const { workspaceId } of works) await pendingAre(other, workspaceId, 1);
    const [first] = works;
    if (!first) throw new Error("Three tasks were to be started.");
    await stopOf(other, first);
    await ended(other, first);
    expect(await Promise.all(works.map((work) => taskState(other, work)))).toEqual(["stopped", "running", "running"]);
    expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(["MCP_STOPPED", null, null]);
    for (const work of works.slice(1)) told(await work.call("task_finish"));
  });
});

describe("a dialog", () => {
  test.each(["click", "timer0"])(verifies("hanging.dialog", "on %s"), async (when) => {
    const workspaceId = `dialog-${when}`;
    const call = (tool: string, args = {}): Promise<ToolAnswer> =>
      soon(other.call(tool, { workspaceId, ...args }), tool);
    told(await call("project_open"));
    fine(await call("browser_navigate", { url: pages.url(`/dlg?kind=confirm&when=${when}`) }));
    const aside = told<{ target: { tabId: string } }>(
      await call("browser_tabs", { action: "new", select: false, url: pages.url("/b") }),
    );
    fine(await call("browser_click", { target: "#ask" }));
    const blocked = await until(
      async () => {
        const answer = await call("browser_click", { target: "#touch" });
        return answer.ok && answer.meta.dialogs.length === 0 ? false : answer;
      },
      { deadlineMs: SOON_MS, why: "the dialog is told" },
    );
    const kind = blocked.ok ? blocked.meta.dialogs[0]?.kind : blocked.meta.error?.details.kind;
    expect(kind).toBe("confirm");
    expect(fine(await call("browser_snapshot", { tabId: aside.target.tabId })).text).toContain("MARK:/b");
    expect(fine(await call("browser_handle_dialog", { accept: true })).text).toContain("confirm of the page");
    expect(fine(await call("browser_snapshot")).text).toContain("said: true");
  });

  test.each(["alert", "confirm", "prompt"])(verifies("hanging.dialog-on-load", "%s"), async (kind) => {
    const workspaceId = `on-load-${kind}`;
    const call = (tool: string, args = {}): Promise<ToolAnswer> =>
      soon(other.call(tool, { workspaceId, ...args }), tool);
    told(await call("project_open"));
    const loaded = fine(await call("browser_navigate", { url: pages.url(`/dlg?kind=${kind}&when=load`) }));
    expect(loaded.meta.dialogs).toMatchObject([{ kind, message: `${kind} of the page`, open: true }]);
    expect(loaded.text).toContain(`${kind} of the page`);
    fine(await call("browser_handle_dialog", { accept: true, ...(kind === "prompt" ? { promptText: "words" } : {}) }));
    const said = { alert: "said: undefined", confirm: "said: true", prompt: "said: words" }[kind];
    expect(fine(await call("browser_snapshot")).text).toContain(said);
  });
});

test(verifies("hanging.other-projects"), { timeout: 120_000 }, async () => {
  const { frozen, free } = await onTwoWorkers();
  freezeProcess(browserOf((await workerOf(frozen)).pid));
  const timeoutMs = 1_000;
  const stuck = frozen.call("browser_evaluate", { function: "() => 1", timeoutMs });
  const read = other.call("browser_snapshot", { workspaceId: frozen.workspaceId, timeoutMs });
  fine(await soon(free.call("browser_navigate", { url: pages.url("/b") }), "the other project navigates"));
  expect(fine(await soon(free.call("browser_snapshot"), "the other project is read")).text).toContain("MARK:/b");
  await soon(statusOf(other, frozen.workspaceId), "the state of the stuck project is told");
  expect((await soon(stopOf(other, frozen), "the stuck task is stopped")).requested).toBe(true);
  // Its stop may come before its deadline, or after.
  const code = (await within(SILENT_MS, stuck, "the stuck call ends")).code;
  expect(["MCP_STOPPED", "MCP_OUTCOME_UNKNOWN"]).toContain(code);
  expect((await within(SILENT_MS, read, "the stuck read ends")).code).toBe("MCP_DEADLINE");
  await ended(other, frozen);
  const again = () => other.call("browser_navigate", { workspaceId: frozen.workspaceId, url: pages.url("/c") });
  const works = async (): Promise<boolean> => (await again()).ok;
  await until(works, { deadlineMs: 30_000, why: "the stuck project works on" });
});

/** ms within which a call that a frozen browser does not answer has ended for sure. */
const SILENT_MS = 15_000;

const workerOf = async ({ workspaceId }: { workspaceId: string }): Promise<{ workerId: string; pid: number }> =>
  told<{ worker: { workerId: string; pid: number } }>(await other.call("project_status", { workspaceId })).worker;

/** Two tasks that two workers serve: which worker takes a project is not ours to say, so projects are opened until both do. */
async function onTwoWorkers() {
  const first = await taskIn(stack, "frozen", pages.url("/a"));
  const { workerId } = await workerOf(first);
  for (let index = 0; index < 30; index += 1) {
    const second = await taskIn(stack, `free-${index}`, pages.url("/a"));
    if ((await workerOf(second)).workerId !== workerId) return { frozen: first, free: second };
  }
  throw new Error("One worker has taken every project.");
}
