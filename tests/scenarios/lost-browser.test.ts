import { until } from "@holdfast/testkit";
import { describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { browserOf, childNamed, freezeProcess, isThere } from "../support/faults.js";
import { tabsOf, withScene } from "../support/scene.js";
import { fine, pendingAre, postNow, SOON_MS, stopOf, taskIn, taskState, told, within } from "../support/work.js";

const { stack, pages, client } = withScene();

/** ms within which a browser that answers nothing is ended, and a new one is worked with. */
const REPLACED_MS = 20_000;
const AWAY = { deadlineMs: REPLACED_MS, why: "the frozen browser is ended" };

const browser = (): number => browserOf(childNamed(stack(), "browser-worker").pid);

function freeze(): number {
  const pid = browser();
  freezeProcess(pid);
  return pid;
}

const call = (tool: string, args: Record<string, unknown>) => within(REPLACED_MS, client().call(tool, args), tool);

describe("a browser that ends", () => {
  test.each(["SIGKILL", "SIGTRAP"])(verifies("lost-browser.ended", "%s"), async (signal) => {
    const workspaceId = `ended-${signal}`;
    const work = await taskIn(stack(), workspaceId, pages().url("/a?m=kept"));
    told(await call("project_open", { workspaceId: "beside" }));
    fine(await call("browser_tabs", { workspaceId: "beside", action: "new", url: pages().url("/b?m=beside") }));
    const [before, beside] = await Promise.all([tabsOf(client(), workspaceId), tabsOf(client(), "beside")]);
    const inFlight = work.call("browser_wait_for", { text: "never", timeoutMs: 60_000 });
    await pendingAre(client(), workspaceId, 1);
    process.kill(browser(), signal);
    const { code, meta } = await within(SOON_MS, inFlight, "the call under way ends");
    expect(code).toBe("MCP_OUTCOME_UNKNOWN");
    expect(await taskState(client(), work)).toBe("needs_check");
    expect((await work.call("browser_click", { target: "#press" })).code).toBe("MCP_TASK_NEEDS_CHECK");
    expect(fine(await work.call("browser_snapshot")).text).toContain("MARK:/a:kept");
    expect(fine(await call("browser_snapshot", { workspaceId: "beside" })).text).toContain("MARK:/b:beside");
    const ids = (tabs: typeof before): string[] => tabs.map(({ tabId, url }) => `${tabId} ${url}`);
    expect(ids(await tabsOf(client(), workspaceId))).toEqual(ids(before));
    expect(ids(await tabsOf(client(), "beside"))).toEqual(ids(beside));
    const operationId = meta.operationId;
    told(await work.call("task_resolve", { operationId, verdict: "not_done" }));
    fine(await work.call("browser_click", { target: "#press" }));
    told(await work.call("task_finish"));
  });
});

describe("a browser that answers nothing", () => {
  test(verifies("lost-browser.replaced"), async () => {
    const workspaceId = "replaced";
    told(await call("project_open", { workspaceId }));
    fine(await call("browser_navigate", { workspaceId, url: pages().url("/a?m=kept") }));
    const frozen = freeze();
    expect((await call("browser_snapshot", { workspaceId, timeoutMs: 500 })).code).toBe("MCP_DEADLINE");
    await until(() => !isThere(frozen), AWAY);
    const works = async (): Promise<boolean> => (await call("browser_snapshot", { workspaceId })).ok;
    await until(works, { deadlineMs: REPLACED_MS, why: "a new browser is worked with" });
    expect(fine(await call("browser_snapshot", { workspaceId })).text).toContain("MARK:/a:kept");
  });

  test(verifies("lost-browser.stopped"), async () => {
    const work = await taskIn(stack(), "stopped", pages().url("/a"));
    const frozen = freeze();
    const inFlight = work.call("browser_evaluate", { function: `() => { ${postNow("frozen")} }` });
    await pendingAre(client(), "stopped", 1);
    expect((await stopOf(client(), work)).requested).toBe(true);
    await until(async () => (await taskState(client(), work)) === "stopped", AWAY);
    if (isThere(frozen)) process.kill(frozen, "SIGCONT");
    expect((await inFlight).code).toBe("MCP_STOPPED");
    // Whatever that browser still had to do is done before this, if it was not ended.
    const works = async (): Promise<boolean> =>
      (await call("browser_navigate", { workspaceId: "stopped", url: pages().url("/b") })).ok;
    await until(works, { deadlineMs: REPLACED_MS, why: "the project works on" });
    expect(pages().hits("frozen")).toBe(0);
  });

  test(verifies("lost-browser.new-tabs"), async () => {
    told(await call("project_open", { workspaceId: "first-act" }));
    told(await call("project_open", { workspaceId: "another-tab" }));
    fine(await call("browser_navigate", { workspaceId: "another-tab", url: pages().url("/b") }));
    const frozen = freeze();
    const timeoutMs = 500;
    const opened = await Promise.all([
      call("browser_navigate", { workspaceId: "first-act", url: pages().url("/a"), timeoutMs }),
      call("browser_tabs", { workspaceId: "another-tab", action: "new", timeoutMs }),
    ]);
    expect(opened.map(({ code }) => code)).toEqual(["MCP_DEADLINE", "MCP_DEADLINE"]);
    await until(() => !isThere(frozen), AWAY);
    const { tabs } = told<{ tabs: unknown[] }>(await call("project_status", { workspaceId: "another-tab" }));
    expect(tabs).toMatchObject([{ url: pages().url("/b") }]);
    fine(await call("browser_navigate", { workspaceId: "first-act", url: pages().url("/a") }));
  });

  test(verifies("lost-browser.closed"), async () => {
    const workspaceId = "closed";
    told(await call("project_open", { workspaceId }));
    fine(await call("browser_navigate", { workspaceId, url: pages().url("/a?m=closed") }));
    freeze();
    told(await call("project_close", { workspaceId }));
    told(await call("project_open", { workspaceId }));
    expect(fine(await call("browser_snapshot", { workspaceId })).text).toContain("MARK:/a:closed");
  });
});
