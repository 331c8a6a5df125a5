import { rawPost, startPageServer, type ToolAnswer, until } from "@holdfast/testkit";
import { describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { marksIn, openTab, projectAt, tabOf, withScene } from "../support/scene.js";
import { fine, SOON_MS, told, within } from "../support/work.js";

const { stack, pages, client, url } = withScene();

type Call = (tool: string, args?: Record<string, unknown>) => Promise<ToolAnswer>;

/** A project of its own for one test, at /a; and the check that it works on. */
async function project(workspaceId: string): Promise<{ call: Call; worksOn: () => Promise<void>; tabId: string }> {
  const [tabId = ""] = await projectAt(client(), workspaceId, [url(`/a?m=${workspaceId}`)]);
  const call: Call = (tool, args = {}) => client().call(tool, { workspaceId, ...args });
  const worksOn = async (): Promise<void> => {
    const answer = fine(await call("browser_navigate", { url: url("/b?m=goes-on"), snapshot: "full" }));
    expect(marksIn(answer.text)).toEqual(["MARK:/b:goes-on"]);
  };
  return { call, worksOn, tabId };
}

const post = (body: unknown, more: Partial<Parameters<typeof rawPost>[1]> = {}): ReturnType<typeof rawPost> => {
  const { mcpUrl, token } = stack().endpoint;
  return rawPost(mcpUrl, { body, ...(token === null ? {} : { token }), ...more });
};

describe("arguments", () => {
  test(verifies("bad-input.tool"), async () => {
    const { worksOn } = await project("tool");
    const { raw } = await stack().client();
    await expect(raw.callTool({ name: "browser_fly", arguments: {} })).rejects.toThrow(/no tool browser_fly/);
    await expect(raw.callTool({ name: "browser_tabs_list", arguments: {} })).rejects.toThrow(/no tool/);
    await worksOn();
  });

  test(verifies("bad-input.type"), async () => {
    const { call, worksOn } = await project("type");
    const wrong: readonly (readonly [string, Record<string, unknown>, string])[] = [
      ["browser_click", { target: 7 }, "target"],
      ["browser_click", {}, "target"],
      ["browser_click", { target: "#press", wiggle: true }, "wiggle"],
      ["browser_navigate", { url: null }, "url"],
      ["browser_wait_for", { time: "soon" }, "time"],
      ["browser_wait_for", {}, "time"],
      ["browser_tabs", { action: "shake" }, "action"],
      ["browser_tabs", {}, "action"],
      ["browser_fill_form", { fields: [{ target: "#text" }] }, "fields"],
      ["browser_snapshot", { timeoutMs: 0 }, "timeoutMs"],
      ["task_start", { goal: 7 }, "goal"],
    ];
    for (const [tool, args, named] of wrong) {
      const answer = await call(tool, args);
      expect([tool, answer.code]).toEqual([tool, "MCP_BAD_ARGUMENTS"]);
      expect(answer.text).toContain(named);
    }
    await worksOn();
  });

  test(verifies("bad-input.name"), async () => {
    for (const name of ["a.b", "*", ">", "", "a b", "x".repeat(65), "ä"]) {
      for (const [tool, args] of [
        ["project_open", {}],
        ["browser_snapshot", {}],
        ["browser_click", { target: "#x" }],
      ] as const) {
        expect([name, (await client().call(tool, { ...args, workspaceId: name })).code]).toEqual([
          name,
          "MCP_BAD_ARGUMENTS",
        ]);
      }
    }
    const { worksOn, call } = await project("name");
    expect((await call("browser_snapshot", { tabId: "t1.>" })).code).toBe("MCP_BAD_ARGUMENTS");
    await worksOn();
  });

  test(verifies("bad-input.large-request"), async () => {
    const { call, worksOn } = await project("large");
    const large = await call("browser_evaluate", { function: `() => "${"x".repeat(1_500_000)}"` });
    expect(large.code).toBe("MCP_BAD_ARGUMENTS");
    expect(large.meta.error?.details.bytesMax).toEqual(expect.any(Number));
    await worksOn();
    const huge = await post({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { x: "x".repeat(8_000_000) } });
    expect(huge.status).toBe(413);
    await worksOn();
  });

  test(verifies("bad-input.no-json"), async () => {
    const bodies = [
      "{",
      "",
      "nothing",
      "[]",
      "null",
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
    ];
    for (const body of bodies) {
      const { status } = await post(body);
      expect([body, status >= 400 && status < 500]).toEqual([body, true]);
    }
    const { worksOn } = await project("no-json");
    await worksOn();
  });

  test(verifies("bad-input.stranger"), async () => {
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const { mcpUrl, token } = stack().endpoint;
    const bearer = { authorization: `Bearer ${token}` };
    const strangers = [
      {},
      { authorization: "Bearer guess" },
      { ...bearer, host: "evil.example" },
      { ...bearer, origin: "https://evil.example" },
      { ...bearer, origin: "null" },
    ];
    for (const headers of strangers) {
      const { status, text } = await rawPost(mcpUrl, { body: list, headers });
      expect([401, 403]).toContain(status);
      expect(text).not.toContain("browser_click");
    }
  });
});

describe("elements and tabs", () => {
  test(verifies("bad-input.ref"), async () => {
    const { call, worksOn } = await project("ref");
    const before = /button "press alpha" \[ref=(\w+)\]/.exec(fine(await call("browser_snapshot")).text)?.[1] ?? "";
    fine(await call("browser_navigate", { url: url("/b") }));
    for (const target of [before, "e99999", "f9e1"]) {
      for (const tool of ["browser_click", "browser_hover", "browser_snapshot"]) {
        const answer = await within(
          SOON_MS,
          call(tool, { target, timeoutMs: 60_000 }),
          "a ref that is not there is told at once",
        );
        expect([tool, answer.code]).toEqual([tool, "MCP_STALE_REF"]);
      }
    }
    expect(fine(await call("browser_snapshot")).text).not.toContain("pressed:");
    expect((await call("browser_click", { target: "#no-such", timeoutMs: 300 })).code).toBe("MCP_DEADLINE");
    expect((await call("browser_click", { target: "[[nonsense", timeoutMs: 300 })).code).toBe("MCP_PAGE_FAILED");
    await worksOn();
  });

  test(verifies("bad-input.closed-tab"), async () => {
    const { call, tabId } = await project("closed");
    const other = await openTab(client(), { workspaceId: "closed", url: url("/b?m=neighbour") });
    fine(await call("browser_tabs", { action: "close", tabId: other }));
    for (const [tool, args] of [
      ["browser_snapshot", {}],
      ["browser_click", { target: "#press" }],
      ["browser_tabs", { action: "select" }],
    ] as const) {
      const answer = await call(tool, { ...args, tabId: other });
      expect([tool, answer.code, marksIn(answer.text)]).toEqual([tool, "MCP_TAB_GONE", []]);
      expect(answer.meta.error?.details).toMatchObject({ tabId: other, lastUrl: url("/b?m=neighbour") });
    }
    const mine = fine(await call("browser_snapshot"));
    expect([tabOf(mine), mine.text.includes("pressed:")]).toEqual([tabId, false]);
  });

  test(verifies("bad-input.dialog"), async () => {
    const { call, worksOn } = await project("dialog");
    for (const when of ["click", "timer0"]) {
      fine(await call("browser_navigate", { url: url(`/dlg?kind=confirm&when=${when}`) }));
      const clicked = await within(
        SOON_MS,
        call("browser_click", { target: "#ask", timeoutMs: 60_000 }),
        "the click is answered",
      );
      const open = async () => clicked.meta.dialogs[0] ?? (await call("browser_snapshot")).meta.error?.details;
      expect(await until(open, { deadlineMs: SOON_MS, why: "the dialog is told" })).toMatchObject({
        kind: "confirm",
        message: "confirm of the page",
      });
      expect((await call("browser_click", { target: "#ask" })).code).toBe("MCP_DIALOG_OPEN");
      fine(
        await within(
          SOON_MS,
          call("browser_handle_dialog", { accept: true, timeoutMs: 60_000 }),
          "the dialog is answered",
        ),
      );
      await until(async () => fine(await call("browser_snapshot")).text.includes("said: true"), {
        deadlineMs: SOON_MS,
        why: "the page hears it",
      });
    }
    expect((await call("browser_handle_dialog", { accept: true })).code).toBe("MCP_PAGE_FAILED");
    await worksOn();
  });
});

describe("addresses", () => {
  test(verifies("bad-input.refused-connection"), async () => {
    const { call, worksOn } = await project("refused");
    const ended = await startPageServer();
    const address = ended.url("/a");
    await ended.close();
    for (let round = 0; round < 5; round += 1) {
      const answer = await within(SOON_MS, call("browser_navigate", { url: address }), "a refusal is told at once");
      expect([answer.code, answer.text]).toEqual([
        "MCP_PAGE_FAILED",
        expect.stringContaining("ERR_CONNECTION_REFUSED"),
      ]);
      await worksOn();
    }
    expect((await call("browser_tabs", { action: "new", url: address })).code).toBe("MCP_PAGE_FAILED");
    const slow = { action: "new", url: url("/slow?s=60"), timeoutMs: 300 };
    expect((await call("browser_tabs", slow)).code).toBe("MCP_DEADLINE");
    await worksOn();
  });

  test(verifies("bad-input.address"), async () => {
    const { call, worksOn } = await project("address");
    for (const address of ["http://", "http://a b", "two words", "http://[::1"]) {
      expect([address, (await call("browser_navigate", { url: address })).code]).toEqual([
        address,
        "MCP_BAD_ARGUMENTS",
      ]);
      expect((await call("browser_tabs", { action: "new", url: address })).code).toBe("MCP_BAD_ARGUMENTS");
    }
    expect(marksIn(fine(await call("browser_snapshot")).text)).toEqual(["MARK:/a:address"]);
    const { tabs } = told<{ tabs: unknown[] }>(await call("browser_tabs", { action: "list" }));
    expect(tabs).toHaveLength(1);
    await worksOn();
  });

  test(verifies("bad-input.scheme"), async () => {
    const { call, worksOn } = await project("scheme");
    const ran = "javascript:document.title='ran'";
    for (const address of [
      ran,
      ` ${ran}`,
      ran.toUpperCase(),
      "file:///etc/passwd",
      "view-source:http://127.0.0.1",
      "chrome://version",
    ]) {
      const answer = await call("browser_navigate", { url: address });
      expect([address, answer.code]).toEqual([address, "MCP_URL_DENIED"]);
      expect(answer.text).not.toContain("root:");
      expect((await call("browser_tabs", { action: "new", url: address })).code).toBe("MCP_URL_DENIED");
    }
    const read = fine(await call("browser_snapshot"));
    expect([read.meta.target?.title, marksIn(read.text)]).toEqual(["/a", ["MARK:/a:scheme"]]);
    await worksOn();
  });
});

describe("large things", () => {
  test(verifies("bad-input.large-page"), { timeout: 120_000 }, async () => {
    const { call, worksOn } = await project("large-page");
    fine(await call("browser_navigate", { url: url("/big-bytes?mb=20") }));
    const read = fine(await call("browser_snapshot", { timeoutMs: 60_000 }));
    expect(read.text).toMatch(/\[cut: \d+ of \d+ characters\. .+\]/);
    expect(read.text.length).toBeLessThan(100_000);
    expect(tabOf(read)).toBe(tabOf(fine(await call("browser_snapshot", { target: "#mark" }))));
    await worksOn();
  });

  test("a value that is too large for a message is cut and says so, and the next call is answered", async () => {
    const { call, worksOn } = await project("large-value");
    for (const unit of ["x", "漢", "\\u0000", '\\"']) {
      const script = `() => "${unit}".repeat(900000)`;
      const answer = await within(
        30_000,
        call("browser_evaluate", { function: script }),
        `a value of many ${unit} is answered`,
      );
      expect([unit, fine(answer).text]).toEqual([unit, expect.stringContaining("[cut: ")]);
    }
    await worksOn();
  });

  test("a page that never fires load is loaded when its document is there", async () => {
    const { call, worksOn } = await project("no-load");
    const answer = fine(
      await within(SOON_MS, call("browser_navigate", { url: url("/noload") }), "the page is answered"),
    );
    expect(answer.meta.target?.url).toBe(url("/noload"));
    await worksOn();
  });

  test("a slow page is a deadline when its time is over, and the project works on at once", async () => {
    const { call, worksOn } = await project("slow");
    expect((await call("browser_navigate", { url: url("/slow?s=60"), timeoutMs: 300 })).code).toBe("MCP_DEADLINE");
    await within(SOON_MS, worksOn(), "the next call is answered");
    expect(pages().requests.some(({ path }) => path === "/slow")).toBe(true);
  });
});
