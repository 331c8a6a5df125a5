import { until } from "@holdfast/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { put } from "../support/ruled.js";
import { cursorOf, marksIn, openTab, projectAt, tabOf, tabsOf, withScene } from "../support/scene.js";
import { fine, SOON_MS, told, within } from "../support/work.js";

const { client, pages, url } = withScene();

const at =
  (workspaceId: string) =>
  (tool: string, args: Record<string, unknown> = {}) =>
    client().call(tool, { workspaceId, ...args });
const cursorTab = async (workspaceId: string): Promise<string | undefined> =>
  (await cursorOf(client(), workspaceId))?.tabId;
const soon = (why: string) => ({ deadlineMs: 5_000, why });

describe("what a new tab does to the cursor", () => {
  test(verifies("new-tabs.follow"), { timeout: 120_000 }, async () => {
    const [t1 = ""] = await projectAt(client(), "follow", [url("/blank?m=home")]);
    const call = at("follow");
    for (let round = 0; round < 50; round += 1) {
      const opened = fine(await call("browser_click", { target: "text=open b", newTab: "follow" }));
      const tabId = opened.meta.newTabs[0]?.tabId;
      expect([opened.meta.movedTo, opened.text]).toEqual([
        tabId,
        expect.stringContaining(`The cursor is at ${tabId} now.`),
      ]);
      const next = fine(await call("browser_click", { target: "#press" }));
      expect([tabOf(next), next.meta.target?.url]).toEqual([tabId, url("/b")]);
      expect(fine(await call("browser_close")).meta.movedTo).toBe(t1);
    }
    const hangs = put('<a id="slow" target="_blank" href="/slow?s=60">slow</a>');
    fine(await call("browser_evaluate", hangs));
    expect(fine(await call("browser_click", { target: "#slow", newTab: "follow" })).meta.movedTo).toBeUndefined();
    expect(await cursorTab("follow")).toBe(t1);
  });

  test(verifies("new-tabs.lazy"), async () => {
    const [t1 = ""] = await projectAt(client(), "lazy", [url("/open?to=/form&m=home")]);
    const call = at("lazy");
    const [tab] = fine(await call("browser_click", { target: "#open", newTab: "lazy" })).meta.newTabs;
    expect(await cursorTab("lazy")).toBe(t1);
    const here = fine(await call("browser_click", { target: "#open", newTab: "report" }));
    expect(tabOf(here)).toBe(t1);
    const [second] = here.meta.newTabs;
    const typed = fine(await call("browser_type", { target: "#text", text: "there", newTab: "lazy" }));
    expect([tabOf(typed), typed.meta.movedTo]).toEqual([second?.tabId, second?.tabId]);
    expect(await cursorTab("lazy")).toBe(second?.tabId);
    const nowhere = await call("browser_click", { target: "#nowhere", newTab: "lazy", timeoutMs: 500 });
    expect([nowhere.code, tab?.tabId === second?.tabId]).toEqual(["MCP_DEADLINE", false]);
  });

  test(verifies("new-tabs.lazy-blocked"), async () => {
    await projectAt(client(), "lazy-blocked", [url("/b")]);
    const call = at("lazy-blocked");
    const away = JSON.stringify(new URL("/form", pages().otherOrigin).href);
    const script = `() => { window.open(${away}); setTimeout(() => { for (;;) {} }, 100); }`;
    expect(fine(await call("browser_evaluate", { function: script })).meta.newTabs).toHaveLength(1);
    const blocked = call("browser_click", { target: "#press", newTab: "lazy", timeoutMs: 1_000 });
    expect((await within(2 * SOON_MS, blocked, "the call ends")).code).toBe("MCP_DEADLINE");
  });

  test(verifies("new-tabs.policy-levels"), async () => {
    told(await client().call("project_open", { workspaceId: "levels", newTab: "follow" }));
    const [t1 = ""] = await projectAt(client(), "levels", [url("/blank")]);
    const moved = async (args: Record<string, unknown>): Promise<boolean> => {
      const answer = fine(
        await client().call("browser_click", { workspaceId: "levels", target: "text=open b", ...args }),
      );
      if (answer.meta.movedTo)
        fine(
          await client().call("browser_tabs", {
            action: "select",
            workspaceId: "levels",
            tabId: t1,
            ...args,
            target: undefined,
            newTab: undefined,
          }),
        );
      return answer.meta.movedTo !== undefined;
    };
    expect([await moved({}), await moved({ newTab: "report" })]).toEqual([true, false]);
    const named = { workspaceId: "levels", goal: "levels", newTab: "report" };
    const { taskId } = told<{ taskId: string }>(await client().call("task_start", named));
    expect([await moved({ taskId }), await moved({ taskId, newTab: "follow" })]).toEqual([false, true]);
  });

  test(verifies("new-tabs.self-closing"), async () => {
    const [t1 = ""] = await projectAt(client(), "splash", [url("/selfclose?ms=700")]);
    await openTab(client(), { workspaceId: "splash", url: url("/c") });
    const call = at("splash");
    const opened = fine(await call("browser_click", { target: "#sign-in", newTab: "follow" }));
    expect(opened.meta.movedTo).toBe(opened.meta.newTabs[0]?.tabId);
    await until(async () => (await cursorTab("splash")) === t1, soon("the cursor is back"));
    const read = fine(await call("browser_snapshot"));
    expect([tabOf(read), read.text]).toEqual([t1, expect.stringContaining("signed in by the popup")]);
    expect((await call("browser_snapshot", { tabId: opened.meta.newTabs[0]?.tabId })).code).toBe("MCP_TAB_GONE");
  });

  test(verifies("new-tabs.back-to-opener"), async () => {
    const [t1 = ""] = await projectAt(client(), "neighbour", [url("/open")]);
    await openTab(client(), { workspaceId: "neighbour", url: url("/c") });
    const call = at("neighbour");
    const popup = fine(await call("browser_click", { target: "#open", newTab: "follow" })).meta.movedTo;
    await openTab(client(), { workspaceId: "neighbour", url: url("/a") });
    fine(await call("browser_tabs", { action: "close", tabId: popup }));
    expect([await cursorTab("neighbour"), tabOf(fine(await call("browser_snapshot")))]).toEqual([t1, t1]);
  });

  test(verifies("new-tabs.opener-gone"), async () => {
    const [main = ""] = await projectAt(client(), "gone", [url("/a?m=main")]);
    const call = at("gone");
    const opener = await openTab(client(), { workspaceId: "gone", url: url("/open") });
    fine(await call("browser_tabs", { action: "select", tabId: opener }));
    const popup = fine(await call("browser_click", { target: "#open", newTab: "follow" })).meta.movedTo;
    fine(await call("browser_tabs", { action: "close", tabId: opener }));
    expect(await cursorTab("gone")).toBe(popup);
    fine(await call("browser_close"));
    expect(marksIn(fine(await call("browser_snapshot")).text)).toEqual(["MARK:/a:main"]);
    fine(await call("browser_tabs", { action: "close", tabId: main }));
    const nothing = await call("browser_snapshot");
    expect([nothing.code, nothing.meta.error?.details.lastUrl]).toEqual(["MCP_TAB_GONE", url("/a?m=main")]);
  });
});

describe("a project with as many tabs as it may have", () => {
  const call = at("many");
  const OPENS_ONE = "() => void window.open('/b')";

  beforeAll(async () => {
    await projectAt(client(), "many", [url("/open?n=98&to=about:blank")]);
    fine(await call("browser_click", { target: "#open", timeoutMs: 60_000 }));
    await until(async () => (await tabsOf(client(), "many")).length === 99, {
      deadlineMs: 60_000,
      why: "98 windows are there",
    });
    fine(await call("browser_tabs", { action: "new", select: false }));
  }, 120_000);

  test(verifies("new-tabs.limit"), async () => {
    const full = await call("browser_tabs", { action: "new" });
    expect([full.code, full.meta.error?.details]).toMatchObject(["MCP_QUEUE_FULL", { tabs: 100, tabsMax: 100 }]);
    fine(await call("browser_evaluate", put(`<button id="one" onclick="window.open('/b')">one</button>`)));
    const { refusedTabs, newTabs } = fine(await call("browser_click", { target: "#one", timeoutMs: 30_000 })).meta;
    expect([newTabs, refusedTabs]).toMatchObject([[], [{ code: "MCP_QUEUE_FULL" }]]);
    expect(await tabsOf(client(), "many")).toHaveLength(100);
  });

  // One in thirty of such windows used to take its opener with it.
  test(verifies("new-tabs.closed-at-birth"), async () => {
    for (let round = 0; round < 150; round += 1)
      fine(await call("browser_evaluate", { function: OPENS_ONE, timeoutMs: 5_000 }));
    expect(fine(await call("browser_evaluate", { function: "() => 6 * 7" })).text).toContain("42");
    expect(await tabsOf(client(), "many")).toHaveLength(100);
  });
});
