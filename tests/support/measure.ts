import { type ArrowFunctionExpression, type Function as FunctionNode, parseSync, Visitor } from "oxc-parser";
import { type Finding, findRules } from "./rules.js";
import type { Source } from "./sources.js";

export interface FunctionMeasure {
  /** `file:line`, which an editor opens. */
  readonly at: string;
  readonly lines: number;
  readonly parameters: number;
}

export interface FileMeasure {
  readonly path: string;
  readonly isTest: boolean;
  readonly lines: number;
  readonly commentLines: number;
  readonly functions: readonly FunctionMeasure[];
  readonly findings: readonly Finding[];
  /** The modules it imports, of types too: a boundary is crossed by a type as well. */
  readonly imports: readonly ImportSeen[];
}

export interface ImportSeen {
  readonly at: string;
  readonly module: string;
}

/** Reads one file with a real parser; counting braces would take strings and patterns for code. */
export function measure(source: Source): FileMeasure {
  const parsed = parseSync(source.path, source.text);
  const [fault] = parsed.errors;
  if (fault) throw new Error(`${source.path} cannot be parsed: ${fault.message}`);
  const lineOf = lineFinder(source.text);
  return {
    path: source.path,
    isTest: source.isTest,
    lines: source.text.split("\n").length - (source.text.endsWith("\n") ? 1 : 0),
    commentLines: parsed.comments.reduce((sum, { start, end }) => sum + lineOf(end) - lineOf(start) + 1, 0),
    functions: functionsIn(source, parsed.program, lineOf),
    findings: findRules(source, parsed, lineOf),
    imports: importsOf(source, parsed, lineOf),
  };
}

export type LineOf = (offset: number) => number;
export type Parsed = ReturnType<typeof parseSync>;

function functionsIn(source: Source, program: Parsed["program"], lineOf: LineOf): FunctionMeasure[] {
  const found: FunctionMeasure[] = [];
  // A describe block only groups tests: its length is that of a chapter, not of a function.
  const groups = new Set<number>();
  const add = (node: FunctionNode | ArrowFunctionExpression): void => {
    if (groups.has(node.start)) return;
    const first = lineOf(node.start);
    found.push({ at: `${source.path}:${first}`, lines: lineOf(node.end) - first + 1, parameters: node.params.length });
  };
  new Visitor({
    CallExpression: (node) => {
      if (!/^describe\b/.test(source.text.slice(node.start, node.start + 9))) return;
      for (const argument of node.arguments) groups.add(argument.start);
    },
    FunctionDeclaration: add,
    FunctionExpression: add,
    ArrowFunctionExpression: add,
  }).visit(program);
  return found;
}

function importsOf(source: Source, parsed: Parsed, lineOf: LineOf): ImportSeen[] {
  const { staticImports, staticExports, dynamicImports } = parsed.module;
  const requests = [
    ...staticImports.map((each) => each.moduleRequest),
    ...staticExports.flatMap((each) => each.entries.flatMap((entry) => entry.moduleRequest ?? [])),
  ].map(({ value, start }) => ({ value, start }));
  // Of an `import(...)` only the place of its argument is told; one that is no literal names no module.
  const dynamic = dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const [, value] = /^["'](.*)["']$/.exec(source.text.slice(start, end)) ?? [];
    return value === undefined ? [] : [{ value, start }];
  });
  return [...requests, ...dynamic].map(({ value, start }) => ({
    at: `${source.path}:${lineOf(start)}`,
    module: value,
  }));
}

function lineFinder(text: string): LineOf {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
