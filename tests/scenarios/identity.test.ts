import type { ToolAnswer } from "@holdfast/testkit";
import { describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { cursorOf, marksIn, projectAt, tabOf, withScene } from "../support/scene.js";
import { type Client, fine, nextTask, told, type Work } from "../support/work.js";

const { stack, client, url } = withScene();

const READS: readonly (readonly [string, Record<string, unknown>])[] = [
  ["browser_snapshot", {}],
  ["browser_take_screenshot", {}],
];
const CHANGES: readonly (readonly [string, Record<string, unknown>])[] = [
  ["browser_navigate", { url: "about:blank" }],
  ["browser_click", { target: "#press" }],
  ["browser_evaluate", { function: "() => document.title" }],
  ["browser_press_key", { key: "a" }],
  ["browser_wait_for", { time: 0 }],
  ["browser_close", {}],
  ["browser_tabs", { action: "close" }],
];

/** A project with a task at the first of two tabs. */
async function held(workspaceId: string): Promise<{ work: Work; t1: string; t2: string }> {
  const [t1 = "", t2 = ""] = await projectAt(client(), workspaceId, [url("/a?m=mine"), url("/b?m=other")]);
  return { work: await nextTask(client(), workspaceId), t1, t2 };
}

describe("while a task holds a project", () => {
  async function refusesOtherTab(workspaceId: string, calls: typeof READS): Promise<void> {
    const { work, t1, t2 } = await held(workspaceId);
    const stranger: Work["call"] = (tool, args) => client().call(tool, { workspaceId, ...args });
    for (const call of [work.call, stranger]) {
      for (const [tool, args] of calls) {
        const answer = await call(tool, { ...args, tabId: t2 });
        expect([tool, answer.code]).toEqual([tool, "MCP_TARGET_TAB_BUSY"]);
        expect(answer.meta.error?.details).toMatchObject({
          cursor: { workspaceId, tabId: t1 },
          tabId: t2,
          holder: { id: work.taskId },
        });
        expect(marksIn(answer.text)).toEqual([]);
      }
    }
    expect((await cursorOf(client(), workspaceId))?.tabId).toBe(t1);
    expect(marksIn(fine(await work.call("browser_snapshot")).text)).toEqual(["MARK:/a:mine"]);
  }

  test(verifies("identity.other-tab-read"), () => refusesOtherTab("reads-other", READS));
  test(verifies("identity.other-tab-change"), () => refusesOtherTab("changes-other", CHANGES));

  test(verifies("identity.cursor-tab"), async () => {
    const { work, t1 } = await held("cursors-tab");
    const stranger: Work["call"] = (tool, args) => client().call(tool, { workspaceId: "cursors-tab", ...args });
    const marked = { function: "() => document.getElementById('mark').textContent" };
    const answers = [
      await work.call("browser_snapshot"),
      await work.call("browser_snapshot", { tabId: t1 }),
      await stranger("browser_snapshot"),
      await stranger("browser_snapshot", { tabId: t1 }),
      await work.call("browser_evaluate", marked),
      await work.call("browser_evaluate", { ...marked, tabId: t1 }),
    ];
    expect(answers.map((answer) => [tabOf(fine(answer)), ...marksIn(answer.text)])).toEqual(
      Array(6).fill([t1, "MARK:/a:mine"]),
    );
  });

  test(verifies("identity.without-the-task"), async () => {
    const { work, t1 } = await held("without-task");
    for (const taskId of [undefined, "task_of_nobody"]) {
      for (const [tool, args] of CHANGES) {
        const answer = await client().call(tool, {
          workspaceId: "without-task",
          ...args,
          ...(taskId ? { taskId } : {}),
          tabId: t1,
        });
        expect([tool, answer.code]).toEqual([tool, "MCP_PROJECT_BUSY"]);
        expect(answer.meta.error?.details).toMatchObject({ holder: { kind: "task", id: work.taskId, owner: "agent" } });
      }
    }
    expect(marksIn(fine(await work.call("browser_snapshot")).text)).toEqual(["MARK:/a:mine"]);
  });
});

describe("in an idle project", () => {
  test(verifies("identity.idle"), async () => {
    const [t1 = "", t2 = ""] = await projectAt(client(), "idle", [url("/a?m=first"), url("/b?m=second")]);
    const call = (tool: string, args: Record<string, unknown>) => client().call(tool, { workspaceId: "idle", ...args });
    expect(marksIn(fine(await call("browser_snapshot", { tabId: t2 })).text)).toEqual(["MARK:/b:second"]);
    const pressed = fine(await call("browser_click", { tabId: t2, target: "#press", snapshot: "full" }));
    expect([tabOf(pressed), pressed.text]).toEqual([t2, expect.stringContaining("pressed: press beta")]);
    fine(await call("browser_navigate", { tabId: t2, url: url("/c?m=third") }));
    expect((await cursorOf(client(), "idle"))?.tabId).toBe(t1);
    const untouched = fine(await call("browser_snapshot", {}));
    expect([tabOf(untouched), marksIn(untouched.text)]).toEqual([t1, ["MARK:/a:first"]]);
    expect(untouched.text).not.toContain("pressed:");
  });
});

describe("every answer", () => {
  test(verifies("identity.on-every-answer"), async () => {
    const { work, t1, t2 } = await held("answers");
    const target = { workspaceId: "answers", profileId: "default", tabId: t1, url: url("/a?m=mine"), title: "/a" };
    const answers = [
      await work.call("browser_snapshot", { operationId: "op-1" }),
      await work.call("browser_click", { target: "#press", operationId: "op-2" }),
      await work.call("browser_hover", { target: "#nowhere", operationId: "op-3", timeoutMs: 300 }),
    ];
    for (const [place, { meta, text }] of answers.entries()) {
      expect(meta).toMatchObject({ target, operationId: `op-${place + 1}`, taskId: work.taskId });
      if (meta.error === undefined) expect(text.split("\n")[0]).toBe(`answers/default/${t1} ${target.url} "/a"`);
    }
    const minted = [await work.call("browser_snapshot"), await work.call("browser_snapshot")];
    expect(new Set(minted.map(({ meta }) => meta.operationId)).size).toBe(2);
    const listed = await work.call("browser_tabs", { action: "select", tabId: t2 });
    expect(listed.meta.target).toMatchObject({ tabId: t2, url: url("/b?m=other") });
  });
});

describe("8 clients", () => {
  const CLIENTS = 8;
  const CALLS = 2_000;

  /** The calls of one client, round and round: each tells something that only its own page can know. */
  async function mixed(by: Client, name: string, count: number): Promise<string[]> {
    const wrong: string[] = [];
    const own = `MARK:/${"abc"[name.length % 3]}:${name}`;
    const call = (tool: string, args: Record<string, unknown> = {}) => by.call(tool, { workspaceId: name, ...args });
    const check = (tool: string, answer: ToolAnswer): void => {
      const marks = marksIn(answer.text);
      const whose = answer.meta.target?.workspaceId ?? answer.structured?.workspaceId;
      const right = answer.ok && whose === name && marks.every((mark) => mark === own);
      const seen = tool === "browser_snapshot" || tool === "browser_evaluate" ? marks.length === 1 : true;
      if (!right || !seen) wrong.push(`${name} ${tool}: ${answer.text.slice(0, 200)}`);
    };
    const kinds: readonly (readonly [string, Record<string, unknown>])[] = [
      ["browser_snapshot", {}],
      ["browser_evaluate", { function: "() => document.getElementById('mark').textContent" }],
      ["browser_click", { target: "#press" }],
      ["browser_snapshot", { target: "#mark" }],
      ["browser_hover", { target: "#press" }],
      ["project_status", {}],
      ["browser_press_key", { key: "a" }],
      ["browser_tabs", { action: "list" }],
    ];
    const address = url(`/${"abc"[name.length % 3]}?m=${name}`);
    check("browser_navigate", await call("browser_navigate", { url: address }));
    for (let done = 1; done < count; done += 1) {
      const [tool, args] =
        done % 50 === 0 ? ["browser_navigate", { url: address }] : (kinds[done % kinds.length] ?? ["", {}]);
      const answer = await call(tool, args);
      // A list of tabs names no single one: it is right when all of them are the project's own.
      if (tool === "browser_tabs")
        check(tool, { ...answer, meta: { ...answer.meta, target: null }, structured: { workspaceId: name } });
      else check(tool, answer);
    }
    return wrong;
  }

  test(verifies("identity.mixed-calls"), { timeout: 240_000 }, async () => {
    const names = Array.from({ length: CLIENTS }, (_, i) => `mixed-${"x".repeat(i + 1)}`);
    const clients = await Promise.all(names.map((_name, i) => (i % 2 ? stack().modernClient() : stack().client())));
    for (const name of names) told(await client().call("project_open", { workspaceId: name }));
    const wrong = await Promise.all(clients.map((by, i) => mixed(by, names[i] ?? "", CALLS / CLIENTS)));
    expect(wrong.flat()).toEqual([]);
  });

  test(verifies("identity.both-protocols"), async () => {
    await projectAt(client(), "both", [url("/a?m=both")]);
    const clients = [await stack().client("both"), await stack().modernClient("both")];
    const [older, current] = await Promise.all(clients.map((by) => by.call("browser_snapshot")));
    expect(older?.text).toBe(current?.text);
    expect(marksIn(older?.text ?? "")).toEqual(["MARK:/a:both"]);
    const [old, young] = await Promise.all(clients.map((by) => by.call("browser_click", { target: "e99999" })));
    expect([old?.code, young?.code]).toEqual(["MCP_STALE_REF", "MCP_STALE_REF"]);
    const [some, others] = await Promise.all(clients.map((by) => by.listTools()));
    expect(some).toEqual(others);
  });
});
