import { describe, expect, test } from "vitest";
import { type Boundaries, crossings, readBoundaries } from "./support/boundaries.js";
import { mapIn, pathsMissing, readMap } from "./support/map.js";
import { measure } from "./support/measure.js";
import { codeFiles, proseFiles, type Source, type Workspace, workspaces } from "./support/sources.js";

const table = readBoundaries();
const all = workspaces();

describe("boundaries", () => {
  test("every import in the tree is one that boundaries.json allows", () => {
    expect(codeFiles().flatMap((source) => crossingsOf(source))).toEqual([]);
  });

  test("boundaries.json speaks of the workspaces there are, and of no other", () => {
    expect(Object.keys(table.workspaces).sort()).toEqual(all.map(({ folder }) => folder).sort());
  });

  test("a package's dependencies on others of this repository are those it may import", () => {
    const wrong = all.flatMap(({ folder, name, dependencies }) => {
      const may = table.workspaces[folder]?.may ?? [];
      const others = dependencies.filter((each) => each.startsWith("@holdfast/") && !may.includes(each));
      return others.map((each) => `${name} depends on ${each}, but ${table.workspaces[folder]?.why}.`);
    });
    expect(wrong).toEqual([]);
  });
});

describe("the check of boundaries", () => {
  test.each([
    ["services/task-control/src/core/decide.ts", "nats", "for packages/bus alone"],
    ["services/task-control/src/core/decide.ts", "../store.js", "core decides and does nothing"],
    ["services/task-control/src/core/decide.ts", "@holdfast/bus", "core decides and does nothing"],
    ["services/task-control/src/core/decide.ts", "node:fs", "imports nothing of Node"],
    ["services/task-control/src/core/decide.ts", "zod", "core decides and does nothing"],
    ["services/task-control/src/main.ts", "@holdfast/mcp-gateway", "services meet on the bus"],
    ["services/task-control/src/main.ts", "../../mcp-gateway/src/main.js", "another workspace"],
    ["services/task-control/src/main.ts", "@holdfast/testkit", "services meet on the bus"],
    ["services/task-control/src/main.ts", "@holdfast/bus/dist/kv.js", "reaches into"],
    ["services/task-control/src/main.ts", "playwright", "only browser-worker owns pages"],
    ["services/task-control/src/main.ts", "left-pad", "by chance"],
    ["services/task-control/src/main.ts", "fs", "node:fs"],
    ["services/task-control/src/main.ts", "../test/fake.js", "imports a test"],
    ["packages/protocol/src/ids.ts", "node:crypto", "imports nothing of Node"],
    ["packages/protocol/src/ids.ts", "pino", "knows no transport"],
    ["packages/bus/src/connect.ts", "@holdfast/cli", "knows nothing of who sends it"],
    ["packages/cli/src/main.ts", "@holdfast/task-control", "never runs their code"],
    ["packages/cli/src/main.ts", "@modelcontextprotocol/server", "only mcp-gateway speaks MCP"],
  ])("%s that imports %s is told why not", (path, module, sentence) => {
    const told = crossingsOf({ path, text: `import "${module}";\n`, isTest: false });
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(`${path}:1`);
    expect(told[0]).toContain(sentence);
  });

  test.each([
    ["type imports", 'import type { NatsConnection } from "nats";'],
    ["exports", 'export * from "nats";'],
    ["dynamic imports", 'await import("nats");'],
  ])("sees %s too", (_kind, text) => {
    expect(crossingsOf({ path: "services/task-control/src/main.ts", text, isTest: false })).toHaveLength(1);
  });

  test.each([
    ["services/task-control/src/core/decide.ts", "@holdfast/protocol"],
    ["services/task-control/src/core/decide.ts", "./state.js"],
    ["services/task-control/src/main.ts", "./core/decide.js"],
    ["services/task-control/src/main.ts", "node:fs"],
    ["packages/bus/src/connect.ts", "nats"],
    ["services/browser-worker/src/tabs.ts", "playwright"],
  ])("%s may import %s", (path, module) => {
    expect(crossingsOf({ path, text: `import "${module}";\n`, isTest: false })).toEqual([]);
  });

  test.each([
    ["packages/bus/test/queue.test.ts", "@holdfast/testkit"],
    ["packages/bus/test/queue.test.ts", "../src/queue.js"],
    ["packages/bus/test/queue.test.ts", "vitest"],
  ])("a test, %s, may import %s", (path, module) => {
    expect(crossingsOf({ path, text: `import "${module}";\n`, isTest: true })).toEqual([]);
  });
});

describe("the map in ARCHITECTURE.md", () => {
  test("names every workspace, and what each may import as boundaries.json has it", () => {
    const rows = new Map(readMap().map(({ folder, mayImport }) => [folder, mayImport]));
    const drawn = Object.fromEntries(all.map(({ folder }) => [folder, rows.get(folder) ?? "not on the map"]));
    expect(drawn).toEqual(Object.fromEntries(all.map(({ folder }) => [folder, table.workspaces[folder]?.may ?? []])));
  });

  test("and every other page name only paths that are there", () => {
    const pages = proseFiles().filter(({ path }) => path.endsWith(".md"));
    expect(pages.flatMap(pathsMissing)).toEqual([]);
  });

  test("is read as a table: a folder, what it is, and what it may import", () => {
    const text =
      "# x\n\n| Folder | What it is | May import |\n| --- | --- | --- |\n| `docs` | pages | |\n| `tests` | t | `a`, `@b/c` |\n\n| z |\n";
    expect(mapIn(text)).toEqual([
      { folder: "docs", mayImport: null },
      { folder: "tests", mayImport: ["a", "@b/c"] },
    ]);
  });
});

function crossingsOf(source: Source): string[] {
  const workspace = workspaceOf(source.path);
  return workspace === undefined ? [] : crossings(measure(source), workspace, table satisfies Boundaries);
}

/** Scripts belong to no workspace: they run before anything is installed, and import Node alone. */
function workspaceOf(path: string): Workspace | undefined {
  return all.find(({ folder }) => path.startsWith(`${folder}/`));
}
