import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readBoundaries } from "./support/boundaries.js";
import { BUDGET, figuresOf, shareWithin, tableOf } from "./support/figures.js";
import { type FileMeasure, measure } from "./support/measure.js";
import { RULES, type Rule } from "./support/rules.js";
import { codeFiles, proseFiles, ROOT } from "./support/sources.js";

const files = codeFiles().map(measure);
const shipped = files.filter(({ isTest }) => !isTest);
const tests = files.filter(({ isTest }) => isTest);

describe("tidy", () => {
  test("prints its figures", () => {
    const rows = [...groupsOf(shipped), figuresOf("shipped, all", shipped), figuresOf("tests, all", tests)];
    console.info(`\n${tableOf(rows)}\n(lines: median / nine in ten / most)\n`);
    expect(files.length).toBeGreaterThan(20);
  });

  test.each([
    ["what is shipped", shipped],
    ["the tests", tests],
  ])("%s keeps to the budget of file lines", (_what, some) => {
    const over = some
      .filter(({ lines }) => lines > BUDGET.fileLinesMax)
      .map(({ path, lines }) => `${path} has ${lines} lines`);
    expect(over).toEqual([]);
    expect(
      shareWithin(
        some.map(({ lines }) => lines),
        BUDGET.fileLines,
      ),
    ).toBeGreaterThanOrEqual(BUDGET.share);
  });

  test.each([
    ["what is shipped", shipped],
    ["the tests", tests],
  ])("%s keeps to the budget of function lines", (_what, some) => {
    const functions = some.flatMap((file) => file.functions);
    const over = functions
      .filter(({ lines }) => lines > BUDGET.functionLinesMax)
      .map(({ at, lines }) => `${at} has ${lines} lines`);
    expect(over).toEqual([]);
    expect(
      shareWithin(
        functions.map(({ lines }) => lines),
        BUDGET.functionLines,
      ),
    ).toBeGreaterThanOrEqual(BUDGET.share);
  });

  test("no function takes more than four parameters", () => {
    const over = files.flatMap((file) => file.functions).filter(({ parameters }) => parameters > BUDGET.parametersMax);
    expect(over.map(({ at, parameters }) => `${at} takes ${parameters}; give them as one object with names`)).toEqual(
      [],
    );
  });

  test.each(Object.keys(RULES) as Rule[])("no file breaks the rule: %s", (rule) => {
    const polls = new Set(rule === "sleep" ? readBoundaries().polls.map(({ file }) => file) : []);
    const found = files.filter(({ path }) => !polls.has(path)).flatMap((file) => file.findings);
    expect(found.filter((each) => each.rule === rule).map(({ at }) => `${at}: ${RULES[rule]}`)).toEqual([]);
  });

  test("files that may poll are there, and do", () => {
    const polling = files
      .filter(({ findings }) => findings.some(({ rule }) => rule === "sleep"))
      .map(({ path }) => path);
    expect(
      readBoundaries()
        .polls.map(({ file }) => file)
        .filter((file) => !polling.includes(file)),
    ).toEqual([]);
  });

  test("no file names a folder of the machine it was written on", () => {
    const found = [...codeFiles(), ...proseFiles()].filter(
      ({ path, text, isTest }) => path !== OWN && namesMachine(text, isTest),
    );
    expect(found.map(({ path }) => path)).toEqual([]);
  });

  test("the lock file names no registry", () => {
    const lock = readFileSync(join(ROOT, "package-lock.json"), "utf8");
    expect([...lock.matchAll(/"resolved": "https?:[^"]*"/g)].slice(0, 3).map(([line]) => line)).toEqual([]);
  });
});

describe("the tidy check", () => {
  test.each([
    ["any", "export const x = (a: any) => a;"],
    ["nonNull", "export const x = (a?: string) => a!.length;"],
    ["emptyCatch", "try { JSON.parse(''); } catch { /* never mind */ }"],
    ["sleep", "await new Promise((resolve) => setTimeout(resolve, 100));"],
    ["sleep", "await new Promise<void>((done) => { setTimeout(() => done(), 100); });"],
    ["sleep", 'import { setTimeout as sleep } from "node:timers/promises";'],
    ["todo", "// TODO: later"],
    ["todo", "/* FIXME */"],
    ["ticket", "// See #123."],
    ["ticket", "// Done in HF-12."],
    ["ticket", "/** As asked for in issue 2. */"],
  ] as const)("finds %s in %s", (rule, text) => {
    expect(measure({ path: "x.ts", text, isTest: false }).findings).toEqual([{ rule, at: "x.ts:1" }]);
  });

  test.each([
    ["a word and a mark in a text", 'export const x = "any! TODO #123";'],
    [
      "a deadline that something else can beat",
      "await new Promise((resolve) => { setTimeout(resolve, 9); child.once('exit', resolve); });",
    ],
    ["a deadline that is cleared", "const x = new Promise((resolve) => { timer = setTimeout(resolve, 9); });"],
    ["a timer that does something", "setTimeout(() => look(), 9);"],
    ["a TODO with an owner", "// TODO(ann): later"],
    ["a standard, and an issue of a public project", "// UTF-8, RFC-9728, and nats-io/nats-server#4273."],
  ])("lets pass %s", (_what, text) => {
    expect(measure({ path: "x.ts", text, isTest: false }).findings).toEqual([]);
  });

  test("measures functions by their lines and parameters, and takes describe for a chapter", () => {
    const text =
      'describe("x", () => {\n  test("y", () => {\n    1;\n  });\n});\nclass A {\n  b(c: string, d = 1) {\n  }\n}\n';
    const measured = measure({ path: "x.ts", text, isTest: true });
    expect(measured.functions).toEqual([
      { at: "x.ts:2", lines: 3, parameters: 0 },
      { at: "x.ts:7", lines: 2, parameters: 2 },
    ]);
    expect([measured.lines, measured.commentLines]).toEqual([9, 0]);
  });
});

const OWN = "tests/tidy.test.ts";

/** Tests may make up a home folder; nobody may name this checkout's. */
function namesMachine(text: string, isTest: boolean): boolean {
  return text.includes(`${ROOT}/`) || (!isTest && /(?<![\w.])\/(home|Users)\/[\w.-]+/.test(text));
}

function groupsOf(some: readonly FileMeasure[]): ReturnType<typeof figuresOf>[] {
  const groupOf = ({ path }: FileMeasure): string =>
    path
      .split("/")
      .slice(0, path.startsWith("scripts") ? 1 : 2)
      .join("/");
  const groups = [...new Set(some.map(groupOf))].sort();
  return groups.map((group) =>
    figuresOf(
      group,
      some.filter((file) => groupOf(file) === group),
    ),
  );
}
