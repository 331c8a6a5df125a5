import { connectBus, followFacts } from "@holdfast/bus";
import type { FactRecord } from "@holdfast/protocol";
import { until } from "@holdfast/testkit";
import { describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { put } from "../support/ruled.js";
import { cursorOf, marksIn, openTab, projectAt, tabOf, tabsOf, withScene } from "../support/scene.js";
import { fine, told } from "../support/work.js";

const { stack, client, url } = withScene();

const at =
  (workspaceId: string) =>
  (tool: string, args: Record<string, unknown> = {}) =>
    client().call(tool, { workspaceId, ...args });
/** Each way in which a page opens a window. */
const WAYS: readonly (readonly [string, string])[] = [
  ["a link", '<a id="go" target="_blank" href="/b?m=new">go</a>'],
  ["a link without an opener", '<a id="go" target="_blank" rel="noopener noreferrer" href="/b?m=new">go</a>'],
  ["window.open", `<button id="go" onclick="window.open('/b?m=new')">go</button>`],
  ["a popup window", `<button id="go" onclick="window.open('/b?m=new', '_blank', 'width=300,height=200')">go</button>`],
  [
    "a form",
    '<form target="_blank" action="/b"><input name="m" value="new" type="hidden"><button id="go">go</button></form>',
  ],
];
const REPEATS = 10;

describe("the call that opens a tab", () => {
  test.each(WAYS)(verifies("new-tabs.told", "%s"), { timeout: 120_000 }, async (name, html) => {
    const workspaceId = `told-${WAYS.findIndex(([way]) => way === name)}`;
    const [t1 = ""] = await projectAt(client(), workspaceId, [url("/a")]);
    const call = at(workspaceId);
    fine(await call("browser_evaluate", put(html)));
    const seen = new Set<string>();
    for (let round = 0; round < REPEATS * 5; round += 1) {
      const { newTabs } = fine(await call("browser_click", { target: "#go" })).meta;
      expect(newTabs).toMatchObject([{ openerTabId: t1, url: expect.stringContaining("/b?m=new") }]);
      expect(newTabs[0]?.unclaimed).toBeUndefined();
      const tabId = newTabs[0]?.tabId ?? "";
      expect(await tabsOf(client(), workspaceId)).toHaveLength(2);
      seen.add(tabId);
      if (round % REPEATS === 0)
        expect(marksIn(fine(await call("browser_snapshot", { tabId })).text)).toEqual(["MARK:/b:new"]);
      fine(await call("browser_tabs", { action: "close", tabId }));
    }
    expect([seen.size, (await cursorOf(client(), workspaceId))?.tabId]).toEqual([REPEATS * 5, t1]);
  });

  test(verifies("new-tabs.one-click"), async () => {
    await projectAt(client(), "once", [url("/open?to=/count%3Fid=opened-once")]);
    const call = at("once");
    const opened = fine(await call("browser_click", { target: "#open" }));
    const [tab] = opened.meta.newTabs;
    expect(opened.text).toContain(`New tab ${tab?.tabId} opened by ${tabOf(opened)}`);
    const read = fine(await call("browser_snapshot", { tabId: tab?.tabId }));
    expect([tabOf(read), read.meta.target?.url]).toEqual([tab?.tabId, url("/count?id=opened-once")]);
    expect(await tabsOf(client(), "once")).toHaveLength(2);
  });

  test(verifies("new-tabs.later"), async () => {
    const bus = await connectBus({ url: stack().endpoint.natsUrl, name: "test" });
    const facts: FactRecord[] = [];
    const following = await followFacts(bus, { workspaceId: "later" }, (record) => void facts.push(record));
    const [t1 = ""] = await projectAt(client(), "later", [url("/a")]);
    const call = at("later");
    for (let round = 0; round < REPEATS; round += 1) {
      facts.length = 0;
      const script = "() => { setTimeout(() => window.open('/b'), 150); }";
      expect(fine(await call("browser_evaluate", { function: script })).meta.newTabs).toEqual([]);
      const opened = () => facts.find(({ fact }) => fact.fact === "tab.opened");
      await until(() => opened() !== undefined, { deadlineMs: 5_000, why: "the tab is told as a fact" });
      expect(opened()?.fact).toMatchObject({ cause: null, tab: { openerTabId: t1 } });
      const [, late] = await tabsOf(client(), "later");
      fine(await call("browser_tabs", { action: "close", tabId: late?.tabId }));
    }
    await following.stop();
    await bus.drain();
  });

  test(verifies("new-tabs.three-steps"), async () => {
    const [t1 = ""] = await projectAt(client(), "flow", [url("/blank?m=first")]);
    const call = at("flow");
    const [tab] = fine(await call("browser_click", { target: "text=open b" })).meta.newTabs;
    const there = fine(await call("browser_click", { tabId: tab?.tabId, target: "#press", snapshot: "full" }));
    expect([tabOf(there), there.text]).toEqual([tab?.tabId, expect.stringContaining("pressed: press beta")]);
    const back = fine(await call("browser_snapshot", { tabId: t1 }));
    expect([tabOf(back), marksIn(back.text)]).toEqual([t1, ["MARK:/blank:first"]]);
  });

  test(verifies("new-tabs.hangs"), async () => {
    const [t1 = ""] = await projectAt(client(), "hangs", [url("/open?to=/slow%3Fs=60")]);
    const call = at("hangs");
    const began = performance.now();
    const { newTabs } = fine(await call("browser_click", { target: "#open" })).meta;
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(newTabs).toMatchObject([{ openerTabId: t1, state: "loading", url: expect.stringContaining("/slow") }]);
    expect((await tabsOf(client(), "hangs"))[1]).toMatchObject({
      tabId: newTabs[0]?.tabId,
      state: "loading",
      openerTabId: t1,
    });
    expect((await call("browser_snapshot", { tabId: newTabs[0]?.tabId, timeoutMs: 500 })).code).toBe("MCP_DEADLINE");
    fine(await call("browser_tabs", { action: "close", tabId: newTabs[0]?.tabId }));
    expect(await tabsOf(client(), "hangs")).toHaveLength(1);
  });

  test(verifies("new-tabs.has-opener"), async () => {
    const [t1 = ""] = await projectAt(client(), "openers", [url("/open")]);
    fine(await at("openers")("browser_click", { target: "#open" }));
    await openTab(client(), { workspaceId: "openers", url: url("/b") });
    expect((await tabsOf(client(), "openers")).map((tab) => tab.openerTabId)).toEqual([null, t1, null]);
  });

  test(verifies("new-tabs.no-gesture-lost"), async () => {
    await projectAt(client(), "gesture", [url("/open?to=about:blank")]);
    const { newTabs } = fine(await at("gesture")("browser_click", { target: "#open" })).meta;
    const listed = await tabsOf(client(), "gesture");
    expect(listed.map(({ tabId, state }) => [tabId, ["loading", "ready"].includes(state)])).toEqual([
      [expect.any(String), true],
      [newTabs[0]?.tabId, true],
    ]);
    expect(fine(await at("gesture")("browser_snapshot", { tabId: newTabs[0]?.tabId })).meta.target?.url).toBe(
      "about:blank",
    );
  });

  test(verifies("new-tabs.isolated"), async () => {
    const [t1 = ""] = await projectAt(client(), "coop", [url("/coop")]);
    const { newTabs } = fine(await at("coop")("browser_click", { target: "#open" })).meta;
    expect(newTabs).toMatchObject([{ openerTabId: t1 }]);
    const read = () => at("coop")("browser_snapshot", { tabId: newTabs[0]?.tabId });
    await until(async () => fine(await read()).text.includes("opener: none"), {
      deadlineMs: 5_000,
      why: "the popup is shown",
    });
    expect(await tabsOf(client(), "coop")).toHaveLength(2);
  });

  test(verifies("new-tabs.unclaimed"), async () => {
    const [t1 = ""] = await projectAt(client(), "unclaimed", [url("/open?n=3")]);
    const call = at("unclaimed");
    const { newTabs } = fine(await call("browser_click", { target: "#open", newTab: "follow" })).meta;
    expect(newTabs.map((tab) => tab.unclaimed ?? false)).toEqual([false, true, true]);
    expect((await cursorOf(client(), "unclaimed"))?.tabId).toBe(newTabs[0]?.tabId);
    fine(
      await call("browser_evaluate", {
        tabId: t1,
        function: "() => { setTimeout(() => window.open('/c'), 50); }",
        newTab: "follow",
      }),
    );
    await until(async () => (await tabsOf(client(), "unclaimed")).length === 5, {
      deadlineMs: 5_000,
      why: "the page has opened a window by itself",
    });
    expect((await cursorOf(client(), "unclaimed"))?.tabId).toBe(newTabs[0]?.tabId);
    told(await client().call("project_status", { workspaceId: "unclaimed" }));
  });
});
