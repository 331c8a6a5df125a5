import { until } from "@holdfast/testkit";
import { describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { cursorOf, marksIn, openTab, projectAt, tabOf, tabsOf, withScene } from "../support/scene.js";
import { codeFiles } from "../support/sources.js";
import { type Client, fine, nextTask, SOON_MS, taskIn, told } from "../support/work.js";

const { stack, pages, client, url } = withScene();

interface View {
  readonly view: { readonly viewerId: string; readonly workspaceId: string; readonly tabId: string | null } | null;
  readonly cursor: { readonly workspaceId: string; readonly tabId: string } | null;
}

async function look(viewerId: string, at: Record<string, unknown>): Promise<View> {
  return told<View>(await client().call("view_select", { viewerId, ...at }));
}

async function viewOf(viewerId: string): Promise<View> {
  return told<View>(await client().call("view_status", { viewerId }));
}

async function select(workspaceId: string, tabId: string, by: Client = client()): ReturnType<Client["call"]> {
  return by.call("browser_tabs", { action: "select", workspaceId, tabId });
}

describe("the view", () => {
  test(verifies("view.moves-no-cursor"), async () => {
    const [t1 = "", t2 = ""] = await projectAt(client(), "view-a", [url("/a?m=work"), url("/c?m=aside")]);
    await projectAt(client(), "view-b", [url("/b?m=elsewhere")]);
    const work = await nextTask(client(), "view-a");
    const staysAt = async (): Promise<void> => {
      for (const tool of ["browser_snapshot", "browser_hover"]) {
        const answer = fine(
          await work.call(tool, tool === "browser_hover" ? { target: "#press", snapshot: "full" } : {}),
        );
        expect([tabOf(answer), marksIn(answer.text)]).toEqual([t1, ["MARK:/a:work"]]);
      }
      expect((await cursorOf(client(), "view-a"))?.tabId).toBe(t1);
    };
    await staysAt();
    await look("moves", { workspaceId: "view-b" });
    await staysAt();
    await look("moves", { workspaceId: "view-a", tabId: t2 });
    await staysAt();
    expect(await viewOf("moves")).toMatchObject({ view: { workspaceId: "view-a", tabId: t2 }, cursor: { tabId: t1 } });
  });

  test(verifies("view.two-values"), async () => {
    const [t1, t2] = await projectAt(client(), "two-values", [url("/a"), url("/b")]);
    const view = { viewerId: "two", workspaceId: "two-values", tabId: t2 };
    const cursor = { workspaceId: "two-values", profileId: "default", tabId: t1 };
    expect(await look("two", { workspaceId: "two-values", tabId: t2 })).toEqual({ view, cursor });
    expect(await viewOf("two")).toEqual({ view, cursor });
    const status = told<Record<string, unknown>>(await client().call("project_status", { workspaceId: "two-values" }));
    expect(status).toMatchObject({ views: [view], cursor });
    const listed = await tabsOf(client(), "two-values");
    expect(listed.map(({ tabId, cursor: at, viewedBy }) => ({ tabId, at, viewedBy }))).toEqual([
      { tabId: t1, at: true, viewedBy: [] },
      { tabId: t2, at: false, viewedBy: ["two"] },
    ]);
  });

  test(verifies("view.each-viewer-has-one"), async () => {
    const [t1, t2] = await projectAt(client(), "viewers", [url("/a"), url("/b")]);
    await look("ann", { workspaceId: "viewers", tabId: t1 });
    await look("ben", { workspaceId: "viewers", tabId: t1 });
    await look("ann", { workspaceId: "viewers", tabId: t2 });
    expect((await viewOf("ann")).view?.tabId).toBe(t2);
    expect((await viewOf("ben")).view?.tabId).toBe(t1);
    expect(await viewOf("nobody-yet")).toEqual({ view: null, cursor: null });
  });

  test("a tab of another project, one that there is not and one that was closed cannot be looked at", async () => {
    const [, t2 = ""] = await projectAt(client(), "looks", [url("/a"), url("/b")]);
    const [foreign] = await projectAt(client(), "looked-at", [url("/c")]);
    fine(await client().call("browser_tabs", { action: "close", workspaceId: "looks", tabId: t2 }));
    const codes = await Promise.all(
      [foreign, "t999999", t2].map((tabId) =>
        client().call("view_select", { workspaceId: "looks", viewerId: "odd", tabId }),
      ),
    );
    expect(codes.map(({ code }) => code)).toEqual(["MCP_TAB_NOT_FOUND", "MCP_TAB_NOT_FOUND", "MCP_TAB_GONE"]);
    expect((await viewOf("odd")).view).toBeNull();
  });

  test(verifies("view.no-foreground-change"), async () => {
    const seen = async (tabId: string): Promise<{ frames: number; events: string[] }> => {
      const read = { workspaceId: "foreground", tabId, function: "() => window.seen" };
      return JSON.parse(
        fine(await client().call("browser_evaluate", read))
          .text.split("\n")
          .slice(1)
          .join("\n"),
      );
    };
    const [t1 = "", t2 = ""] = await projectAt(client(), "foreground", [url("/vis"), url("/vis")]);
    const before = { first: await seen(t1), second: await seen(t2) };
    for (let round = 0; round < 5; round += 1) {
      await look("watcher", { workspaceId: "foreground", tabId: round % 2 ? t1 : t2 });
      fine(await select("foreground", round % 2 ? t2 : t1));
      fine(await client().call("browser_press_key", { workspaceId: "foreground", key: "a" }));
      fine(await client().call("browser_take_screenshot", { workspaceId: "foreground" }));
      const opened = await openTab(client(), { workspaceId: "foreground", url: url("/a") });
      fine(await client().call("browser_click", { workspaceId: "foreground", tabId: opened, target: "#press" }));
    }
    const after = { first: await seen(t1), second: await seen(t2) };
    expect([after.first.events, after.second.events]).toEqual([before.first.events, before.second.events]);
    await until(
      async () => (await seen(t1)).frames > after.first.frames && (await seen(t2)).frames > after.second.frames,
      {
        deadlineMs: SOON_MS,
        why: "both go on drawing, whichever is the cursor's",
      },
    );
    const raising = /\b(bringToFront|activateTarget)\b/;
    expect(
      codeFiles()
        .filter(({ path, text }) => path.startsWith("services/") && raising.test(text))
        .map(({ path }) => path),
    ).toEqual([]);
  });
});

describe("the interactive path", () => {
  test(verifies("view.interactive"), async () => {
    const [, t2] = await projectAt(client(), "hands-on", [url("/a"), url("/b")]);
    await look("hand", { workspaceId: "hands-on" });
    const moved = await look("hand", { workspaceId: "hands-on", tabId: t2, interactive: true });
    expect(moved).toMatchObject({ view: { tabId: t2 }, cursor: { tabId: t2 } });
    expect((await cursorOf(client(), "hands-on"))?.tabId).toBe(t2);
  });

  test(verifies("view.interactive-elsewhere"), async () => {
    const [t1, t2] = await projectAt(client(), "hands-off", [url("/a"), url("/b")]);
    await projectAt(client(), "looked-elsewhere", [url("/c")]);
    const elsewhere = await look("far", { workspaceId: "looked-elsewhere" });
    const answer = await client().call("view_select", {
      workspaceId: "hands-off",
      tabId: t2,
      viewerId: "far",
      interactive: true,
    });
    expect(answer.code).toBe("MCP_BAD_ARGUMENTS");
    expect((await cursorOf(client(), "hands-off"))?.tabId).toBe(t1);
    expect((await viewOf("far")).view).toEqual(elsewhere.view);
  });

  test("takes no cursor out of the hands of a task, and then moves no view either", async () => {
    const [t1, t2] = await projectAt(client(), "held", [url("/a"), url("/b")]);
    await nextTask(client(), "held");
    await look("keen", { workspaceId: "held", tabId: t1 });
    const answer = await client().call("view_select", {
      workspaceId: "held",
      tabId: t2,
      viewerId: "keen",
      interactive: true,
    });
    expect(answer.code).toBe("MCP_PROJECT_BUSY");
    expect(await viewOf("keen")).toMatchObject({ view: { tabId: t1 }, cursor: { tabId: t1 } });
  });
});

describe("the cursor", () => {
  test(verifies("cursor.select"), async () => {
    const [t1 = "", t2 = ""] = await projectAt(client(), "selects", [url("/a?m=first"), url("/b?m=second")]);
    await look("calm", { workspaceId: "selects", tabId: t1 });
    const answer = fine(await select("selects", t2));
    expect(answer.structured?.target).toMatchObject({ tabId: t2, url: url("/b?m=second") });
    expect((await cursorOf(client(), "selects"))?.tabId).toBe(t2);
    expect((await viewOf("calm")).view?.tabId).toBe(t1);
    const read = fine(await client().call("browser_snapshot", { workspaceId: "selects" }));
    expect(marksIn(read.text)).toEqual(["MARK:/b:second"]);
    const byPlace = told<{ target: unknown }>(
      await client().call("browser_tabs", { action: "select", workspaceId: "selects", index: 0 }),
    );
    expect(byPlace.target).toMatchObject({ tabId: t1 });
  });

  test(verifies("cursor.select-wakes"), async () => {
    const [, t2 = ""] = await projectAt(client(), "sleeps", [url("/a"), url("/b?m=asleep")]);
    told(await client().call("project_close", { workspaceId: "sleeps" }));
    told(await client().call("project_open", { workspaceId: "sleeps" }));
    const tab = (await tabsOf(client(), "sleeps")).find(({ tabId }) => tabId === t2);
    expect(tab).toMatchObject({ state: "sleeping", url: url("/b?m=asleep") });
    const woken = fine(await select("sleeps", t2));
    expect(woken.structured?.target).toMatchObject({ tabId: t2, url: url("/b?m=asleep") });
    expect(marksIn(fine(await client().call("browser_snapshot", { workspaceId: "sleeps" })).text)).toEqual([
      "MARK:/b:asleep",
    ]);
  });

  test(verifies("cursor.select-checks-owner"), async () => {
    const [own] = await projectAt(client(), "owner", [url("/a")]);
    const [foreign = ""] = await projectAt(client(), "not-owner", [url("/b")]);
    expect((await select("owner", foreign)).code).toBe("MCP_TAB_NOT_FOUND");
    const work = await nextTask(client(), "owner");
    expect((await work.call("browser_tabs", { action: "select", tabId: foreign })).code).toBe("MCP_TAB_NOT_FOUND");
    expect((await cursorOf(client(), "owner"))?.tabId).toBe(own);
  });

  test(verifies("cursor.new-tab-is-told"), async () => {
    const work = await taskIn(stack(), "opens", url("/blank"));
    const opener = tabOf(fine(await work.call("browser_snapshot")));
    const clicked = fine(await work.call("browser_click", { target: "text=open b" }));
    expect(clicked.meta.newTabs).toMatchObject([{ openerTabId: opener, url: url("/b") }]);
    const opened = clicked.meta.newTabs[0]?.tabId ?? "";
    expect(clicked.text).toContain(`New tab ${opened} opened by ${opener}`);
    expect((await cursorOf(client(), "opens"))?.tabId).toBe(opener);
    fine(await work.call("browser_tabs", { action: "select", tabId: opened }));
    expect(marksIn(fine(await work.call("browser_snapshot")).text)[0]).toMatch(/^MARK:\/b:/);
  });

  test(verifies("cursor.returns-to-opener"), async () => {
    const work = await taskIn(stack(), "returns", url("/blank"));
    const opener = tabOf(fine(await work.call("browser_snapshot")));
    const neighbour = told<{ target: { tabId: string } }>(
      await work.call("browser_tabs", { action: "new", select: false, url: url("/c") }),
    );
    const [popup] = fine(await work.call("browser_click", { target: "text=open b" })).meta.newTabs;
    fine(await work.call("browser_tabs", { action: "select", tabId: popup?.tabId }));
    fine(await work.call("browser_close"));
    expect((await cursorOf(client(), "returns"))?.tabId).toBe(opener);
    expect(tabOf(fine(await work.call("browser_snapshot")))).toBe(opener);
    expect((await tabsOf(client(), "returns")).map(({ tabId }) => tabId)).toEqual([opener, neighbour.target.tabId]);
  });

  test(verifies("cursor.returns-to-opener", "when the page closes itself, between two calls"), async () => {
    const work = await taskIn(stack(), "self-close", url("/selfclose?ms=0"));
    const opener = tabOf(fine(await work.call("browser_snapshot")));
    fine(await work.call("browser_navigate", { url: url("/selfclose?ms=300") }));
    const [popup] = fine(await work.call("browser_click", { target: "#sign-in" })).meta.newTabs;
    const selected = await work.call("browser_tabs", { action: "select", tabId: popup?.tabId });
    expect([true, false]).toContain(selected.ok);
    await until(async () => (await tabsOf(client(), "self-close")).length === 1, {
      deadlineMs: SOON_MS,
      why: "the popup has closed itself",
    });
    const read = fine(await work.call("browser_snapshot"));
    expect([tabOf(read), read.text]).toEqual([opener, expect.stringContaining("signed in by the popup")]);
    expect((await cursorOf(client(), "self-close"))?.tabId).toBe(opener);
  });

  test("is none when the tab that nobody opened is closed: a read is MCP_TAB_GONE, and another tab can be selected", async () => {
    const [t1 = "", t2 = ""] = await projectAt(client(), "none-left", [url("/a"), url("/b")]);
    fine(await client().call("browser_close", { workspaceId: "none-left", tabId: t1 }));
    const read = await client().call("browser_snapshot", { workspaceId: "none-left" });
    expect([read.code, marksIn(read.text)]).toEqual(["MCP_TAB_GONE", []]);
    expect((await tabsOf(client(), "none-left")).map(({ tabId }) => tabId)).toEqual([t2]);
    fine(await select("none-left", t2));
    fine(await client().call("browser_snapshot", { workspaceId: "none-left" }));
  });

  test(verifies("cursor.ids-are-for-life"), async () => {
    const [t1 = "", t2 = "", t3 = ""] = await projectAt(
      client(),
      "for-life",
      ["/a", "/b", "/c"].map((path) => url(`${path}?m=${path.slice(1)}`)),
    );
    fine(await client().call("browser_tabs", { action: "close", workspaceId: "for-life", index: 1 }));
    const marks = await Promise.all(
      [t1, t3].map((tabId) => client().call("browser_snapshot", { workspaceId: "for-life", tabId })),
    );
    expect(marks.map(({ text }) => marksIn(text))).toEqual([["MARK:/a:a"], ["MARK:/c:c"]]);
    expect((await client().call("browser_snapshot", { workspaceId: "for-life", tabId: t2 })).code).toBe("MCP_TAB_GONE");
    const later = await openTab(client(), { workspaceId: "for-life", url: url("/a") });
    expect([t1, t2, t3]).not.toContain(later);
    expect(pages().requests.length).toBeGreaterThan(0);
  });
});
