import { parseSync } from "oxc-parser";
import { describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { cursorOf, marksIn, projectAt, tabOf, withScene } from "../support/scene.js";
import { codeFiles } from "../support/sources.js";
import { fine, nextTask, told } from "../support/work.js";

const { client, url } = withScene();

/** Everything that names a tab, with what it takes beside. */
const NAMING: readonly (readonly [string, Record<string, unknown>])[] = [
  ["browser_navigate", { url: "about:blank" }],
  ["browser_navigate_back", {}],
  ["browser_snapshot", {}],
  ["browser_take_screenshot", {}],
  ["browser_click", { target: "#press" }],
  ["browser_type", { target: "#text", text: "x" }],
  ["browser_fill_form", { fields: [{ target: "#text", name: "Text", type: "textbox", value: "x" }] }],
  ["browser_press_key", { key: "a" }],
  ["browser_hover", { target: "#press" }],
  ["browser_select_option", { target: "#select", values: ["1"] }],
  ["browser_wait_for", { time: 0 }],
  ["browser_evaluate", { function: "() => document.title" }],
  ["browser_handle_dialog", { accept: true }],
  ["browser_close", {}],
  ["browser_tabs", { action: "select" }],
  ["browser_tabs", { action: "close" }],
];

describe("an operation reaches its own project", () => {
  test(verifies("receivers.foreign-tab"), async () => {
    const [own] = await projectAt(client(), "asks", [url("/a")]);
    const [foreign] = await projectAt(client(), "asked-for", [url("/b?m=private")]);
    const ask = async (
      call: (tool: string, args: Record<string, unknown>) => ReturnType<ReturnType<typeof client>["call"]>,
    ) => {
      for (const [tool, args] of NAMING) {
        const answer = await call(tool, { ...args, tabId: foreign });
        expect([tool, args.action, answer.code]).toEqual([tool, args.action, "MCP_TAB_NOT_FOUND"]);
        expect([marksIn(answer.text), answer.meta.target]).toEqual([[], null]);
      }
    };
    await ask((tool, args) => client().call(tool, { workspaceId: "asks", ...args }));
    const work = await nextTask(client(), "asks");
    await ask(work.call);
    expect((await cursorOf(client(), "asks"))?.tabId).toBe(own);
    const untouched = fine(await client().call("browser_snapshot", { workspaceId: "asked-for" }));
    expect([tabOf(untouched), marksIn(untouched.text)]).toEqual([foreign, ["MARK:/b:private"]]);
  });

  test(verifies("receivers.foreign-profile"), async () => {
    const profiles = [{ profileId: "only-theirs" }];
    told(await client().call("project_open", { workspaceId: "has-profile", profiles }));
    await projectAt(client(), "has-not", [url("/a")]);
    const named = { workspaceId: "has-not", profileId: "only-theirs" };
    const answers = [
      await client().call("browser_tabs", { action: "new", ...named }),
      await client().call("browser_navigate", { url: url("/a"), ...named }),
      await client().call("browser_snapshot", named),
      await client().call("task_start", { goal: "a test", ...named }),
    ];
    expect(answers.map(({ code }) => code)).toEqual(Array(4).fill("MCP_PROFILE_NOT_FOUND"));
  });

  test(verifies("receivers.one-connection"), async () => {
    await projectAt(client(), "one", [url("/a?m=one")]);
    await projectAt(client(), "two", [url("/b?m=two")]);
    const calls = Array.from({ length: 20 }, (_, i) => (i % 2 ? "one" : "two"));
    const answers = await Promise.all(calls.map((workspaceId) => client().call("browser_snapshot", { workspaceId })));
    const seen = answers.map((answer) => [answer.meta.target?.workspaceId, ...marksIn(answer.text)]);
    expect(seen).toEqual(calls.map((name) => (name === "one" ? ["one", "MARK:/a:one"] : ["two", "MARK:/b:two"])));
  });

  test("a project that was never opened is MCP_PROJECT_NOT_FOUND, and none is made by asking", async () => {
    const answer = await client().call("browser_snapshot", { workspaceId: "never-opened" });
    expect(answer.code).toBe("MCP_PROJECT_NOT_FOUND");
    const { projects } = told<{ projects: { workspaceId: string }[] }>(await client().call("project_list"));
    expect(projects.map(({ workspaceId }) => workspaceId)).not.toContain("never-opened");
  });
});

test(verifies("receivers.no-ambient-project"), () => {
  const sources = codeFiles().filter(({ path, isTest }) => path.startsWith("services/") && !isTest);
  expect(sources.length).toBeGreaterThan(20);
  expect(sources.flatMap(({ path, text }) => changeable(path, text))).toEqual([]);
  const named = /\b(current|active|selected)(Project|Workspace|Tab|Page|Context)\b/;
  expect(sources.filter(({ text }) => named.test(text)).map(({ path }) => path)).toEqual([]);
});

/** What a module keeps for itself and can change: a place where a "current" anything could hide. */
function changeable(path: string, text: string): string[] {
  return parseSync(path, text).program.body.flatMap((node) => {
    const declared = node.type === "ExportNamedDeclaration" ? node.declaration : node;
    if (declared?.type !== "VariableDeclaration" || declared.kind === "const") return [];
    return [`${path}: ${text.slice(declared.start, declared.end)}`];
  });
}
