import type { ToolAnswer } from "@holdfast/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import { marksIn, tabOf, withScene } from "../support/scene.js";
import { type Client, fine, told } from "../support/work.js";

const { stack, client, url } = withScene();

/** The tools that there are from the first step on, by name. */
const TOOLS = [
  "project_open",
  "project_list",
  "project_status",
  "project_close",
  "project_memory",
  "browser_tabs",
  "browser_navigate",
  "browser_navigate_back",
  "browser_snapshot",
  "browser_click",
  "browser_type",
  "browser_fill_form",
  "browser_press_key",
  "browser_hover",
  "browser_select_option",
  "browser_wait_for",
  "browser_evaluate",
  "browser_take_screenshot",
  "browser_handle_dialog",
  "browser_close",
  "task_start",
  "task_status",
  "task_finish",
  "task_stop",
  "view_select",
  "view_status",
  "system_status",
  "system_quit",
];

describe("the list of tools", () => {
  test("holds every tool, well formed, for clients of either protocol", async () => {
    for (const by of [await stack().client(), await stack().modernClient()]) {
      const listed = await by.listTools();
      expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(TOOLS));
      for (const { name, description = "", inputSchema } of listed) {
        expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
        expect([name, description.length > 0 && Buffer.byteLength(description) < 2_048]).toEqual([name, true]);
        expect(inputSchema.type).toBe("object");
        for (const choice of ["oneOf", "anyOf", "allOf"]) expect(inputSchema).not.toHaveProperty(choice);
      }
    }
  });
});

describe.each(["older", "current"])("a client of the %s protocol", (protocol) => {
  const workspaceId = `tools-${protocol}`;
  let by: Client;
  const call = (tool: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> =>
    by.call(tool, { workspaceId, ...args });
  const at = async (path: string): Promise<ToolAnswer> => fine(await call("browser_navigate", { url: url(path) }));
  const page = async (): Promise<string> => fine(await call("browser_snapshot")).text;

  beforeAll(async () => {
    by = protocol === "older" ? await stack().client() : await stack().modernClient();
    told(await by.call("project_open", { workspaceId }));
  });

  test("loads a page, reads it by roles and names, and goes back", async () => {
    await at("/a?m=one");
    expect((await at("/b?m=two")).text).toContain(`Loaded ${url("/b?m=two")}.`);
    const read = await page();
    expect(marksIn(read)).toEqual(["MARK:/b:two"]);
    expect(read).toMatch(/- button "press beta" \[ref=(f\d+)?e\d+\]/);
    const back = fine(await call("browser_navigate_back", { snapshot: "full" }));
    expect([back.meta.target?.url, marksIn(back.text)]).toEqual([url("/a?m=one"), ["MARK:/a:one"]]);
  });

  test("clicks by a ref of the tree, by an older name of that argument and by a selector, and sees what changed", async () => {
    await at("/a");
    const ref = /button "press alpha" \[ref=(\w+)\]/.exec(await page())?.[1];
    expect(fine(await call("browser_click", { target: ref, element: "the button", snapshot: "diff" })).text).toContain(
      "pressed: press alpha",
    );
    await at("/b");
    await page();
    const again = /button "press beta" \[ref=(\w+)\]/.exec(await page())?.[1];
    expect(fine(await call("browser_click", { ref: again })).text).toContain("Clicked");
    expect(await page()).toContain("pressed: press beta");
    await at("/c");
    fine(await call("browser_click", { target: "text=press gamma", doubleClick: true }));
    expect(await page()).toContain("pressed: press gamma");
  });

  test("types, presses keys, chooses options and fills a form; a password is not repeated", async () => {
    await at("/form");
    const typed = fine(await call("browser_type", { target: "#password", text: "s3cret" }));
    expect(typed.text).not.toContain("s3cret");
    fine(await call("browser_type", { target: "#text", text: "ab", slowly: true }));
    fine(await call("browser_press_key", { key: "c" }));
    expect(fine(await call("browser_select_option", { target: "#select", values: ["two"] })).text).toContain("2");
    const fields = [
      { name: "Area", target: "#area", type: "textbox", value: "long text" },
      { name: "Check", target: "#check", type: "checkbox", value: "true" },
      { name: "Blue", target: "[value=blue]", type: "radio", value: "true" },
      { name: "Select", target: "#select", type: "combobox", value: "one" },
      { name: "Range", target: "#range", type: "slider", value: "7" },
    ];
    fine(await call("browser_fill_form", { fields }));
    fine(await call("browser_click", { target: "#send" }));
    fine(await call("browser_wait_for", { text: "area=long text" }));
    const sent = await page();
    for (const line of ["text=abc", "area=long text", "select=1", "check=on", "colour=blue", "range=7"])
      expect(sent).toContain(line);
  });

  test("hovers, evaluates in the page and on an element, and waits for texts to come and to go", async () => {
    await at("/a");
    fine(
      await call("browser_evaluate", {
        function: "() => { document.querySelector('#press').onmouseenter = () => document.body.append('over it'); }",
      }),
    );
    fine(await call("browser_hover", { target: "#press" }));
    expect(await page()).toContain("over it");
    expect(fine(await call("browser_evaluate", { function: "() => ({ sum: 1 + 1 })" })).text).toContain('{"sum":2}');
    const named = { target: "#press", element: "the button", function: "(element) => element.textContent" };
    expect(fine(await call("browser_evaluate", named)).text).toContain('"press alpha"');
    fine(
      await call("browser_evaluate", {
        function: "() => { setTimeout(() => { document.body.textContent = 'all new'; }, 50); }",
      }),
    );
    fine(await call("browser_wait_for", { textGone: "over it", text: "all new" }));
    fine(await call("browser_wait_for", { time: 0.01 }));
    expect((await call("browser_evaluate", { function: "() => { throw new Error('of the page'); }" })).code).toBe(
      "MCP_PAGE_FAILED",
    );
  });

  test("takes pictures of the page and of an element", async () => {
    await at("/tall");
    const pictures = [
      fine(await call("browser_take_screenshot")),
      fine(await call("browser_take_screenshot", { fullPage: true, type: "jpeg" })),
      fine(await call("browser_take_screenshot", { target: "#mark", element: "the mark" })),
    ].map(({ image }) => image);
    expect(pictures.map((picture) => picture?.mimeType)).toEqual(["image/png", "image/jpeg", "image/png"]);
    const heights = [pictures[0], pictures[2]].map((picture) => picture?.bytes.readUInt32BE(20) ?? 0);
    expect(heights[0]).toBeGreaterThan(heights[1] ?? 0);
  });

  test("answers each kind of dialog", async () => {
    for (const [kind, answer, said] of [
      ["alert", { accept: true }, "said: undefined"],
      ["confirm", { accept: false }, "said: false"],
      ["prompt", { accept: true, promptText: "my words" }, "said: my words"],
    ] as const) {
      await at(`/dlg?kind=${kind}`);
      expect(fine(await call("browser_click", { target: "#ask" })).meta.dialogs).toMatchObject([{ kind, open: true }]);
      expect(fine(await call("browser_handle_dialog", answer)).text).toContain(`the ${kind}`);
      fine(await call("browser_wait_for", { text: said }));
    }
  });

  test("lists, opens, selects and closes tabs, by id and by place", async () => {
    const first = tabOf(await at("/a"));
    const opened = told<{ target: { tabId: string } }>(
      await call("browser_tabs", { action: "new", url: url("/b?m=tab") }),
    );
    const second = opened.target.tabId;
    expect(marksIn(await page())).toEqual(["MARK:/b:tab"]);
    const listed = told<{ tabs: { tabId: string }[] }>(await call("browser_tabs", { action: "list" }));
    expect(listed.tabs.map(({ tabId }) => tabId)).toEqual([first, second]);
    fine(await call("browser_tabs", { action: "select", index: 0 }));
    expect(tabOf(fine(await call("browser_snapshot")))).toBe(first);
    fine(await call("browser_tabs", { action: "close", tabId: second }));
    fine(await call("browser_close"));
    expect(told<{ tabs: unknown[] }>(await call("browser_tabs", { action: "list" })).tabs).toEqual([]);
    expect(tabOf(await at("/c"))).not.toBe(first);
  });

  test("starts a task, asks for it, finishes it, and stops another", async () => {
    const task = told<{ taskId: string }>(await call("task_start", { goal: "the first" }));
    expect(told(await call("task_status"))).toMatchObject({
      taskId: task.taskId,
      state: "running",
      goal: "the first",
      endedAt: null,
    });
    expect(told(await call("task_finish", { taskId: task.taskId, result: "it went well" }))).toMatchObject({
      state: "finished",
      result: "it went well",
    });
    expect((await call("task_status")).code).toBe("MCP_TASK_NOT_FOUND");
    const next = told<{ taskId: string }>(await call("task_start", { taskId: `own-${protocol}`, goal: "the second" }));
    expect(next.taskId).toBe(`own-${protocol}`);
    const stopped = told(await call("task_stop", { profileId: "default", taskId: next.taskId }));
    expect(stopped).toMatchObject({ requested: true, state: "stopped", interrupted: null, discarded: 0 });
    expect(told(await call("task_status", { taskId: next.taskId }))).toMatchObject({ state: "stopped" });
  });

  test("keeps notes, lists projects, and closes and reopens its own", async () => {
    told(await call("project_memory", { action: "set", key: "note", value: { seen: [1, 2] } }));
    expect(told(await call("project_memory", { action: "get", key: "note" }))).toMatchObject({
      memory: { note: { seen: [1, 2] } },
    });
    told(await call("project_memory", { action: "set", key: "other", value: "x" }));
    told(await call("project_memory", { action: "delete", key: "other" }));
    const listed = told<{ projects: { workspaceId: string }[] }>(await by.call("project_list"));
    expect(listed.projects).toContainEqual(expect.objectContaining({ workspaceId, execution: null, busy: false }));
    expect(told(await call("project_close"))).toEqual({ workspaceId, state: "closed", saved: true });
    expect((await call("browser_snapshot")).code).toBe("MCP_PROJECT_NOT_FOUND");
    const again = told(await call("project_open"));
    expect(again).toMatchObject({ workspaceId, memory: { note: { seen: [1, 2] } } });
    expect(told(await call("project_status"))).toMatchObject({ workspaceId, memory: { note: { seen: [1, 2] } } });
  });

  test("looks at a tab, and asks how everything stands", async () => {
    const tabId = tabOf(await at("/a"));
    const view = { viewerId: `eye-${protocol}`, workspaceId, tabId };
    expect(told(await by.call("view_select", view))).toMatchObject({ view, cursor: { tabId } });
    expect(told(await by.call("view_status", { viewerId: view.viewerId }))).toMatchObject({ view, cursor: { tabId } });
    const status = told<{ state: string; projects: { workspaceId: string }[]; workers: { state: string }[] }>(
      await by.call("system_status"),
    );
    expect([status.state, status.workers.map(({ state }) => state)]).toEqual(["running", ["running"]]);
    expect(status.projects.map((project) => project.workspaceId)).toContain(workspaceId);
  });

  test("gets for a state the same as structured content and as text, and for a page nothing but text", async () => {
    const state = await call("project_status");
    expect(JSON.parse(state.text)).toEqual(state.structured);
    await at("/a");
    expect((await call("browser_snapshot")).structured).toBeNull();
  });
});

test("the endpoint's own project, and `default`, are there without being opened", async () => {
  const own = await stack().client("pasted");
  expect(fine(await own.call("browser_navigate", { url: url("/a?m=pasted") })).meta.target?.workspaceId).toBe("pasted");
  expect(fine(await client().call("browser_navigate", { url: url("/b") })).meta.target?.workspaceId).toBe("default");
});

test("a quit is refused by system_quit while a project is busy, and says which", async () => {
  told(await client().call("project_open", { workspaceId: "busy" }));
  const { taskId } = told<{ taskId: string }>(await client().call("task_start", { workspaceId: "busy" }));
  const answer = await client().call("system_quit");
  expect(answer.code).toBe("MCP_BACKGROUND_PROJECT_RUNNING");
  expect(answer.meta.error?.details.blockers).toMatchObject([{ workspaceId: "busy", execution: { id: taskId } }]);
  expect(told(await client().call("system_status"))).toMatchObject({ state: "running" });
});
