import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ObjectExpression, parseSync, Visitor } from "oxc-parser";
import { ROOT } from "../support/sources.js";

/** One file of code, read as text and as syntax: a service is no package, so nothing of it can be imported here. */
export interface Read {
  readonly path: string;
  readonly text: string;
  /** What each constant at the top is made of. */
  readonly constants: ReadonlyMap<string, Value>;
  /** The comment above each declaration, without its marks. */
  readonly comments: ReadonlyMap<string, string>;
}

export interface Value {
  readonly text: string;
  /** Its properties in order when it is an object; a spread has the name `...`. */
  readonly entries: readonly { readonly name: string; readonly text: string; readonly entries: Value["entries"] }[];
}

export function readSource(path: string): Read {
  const text = readFileSync(join(ROOT, path), "utf8");
  const { program, comments } = parseSync(path, text);
  const constants = new Map<string, Value>();
  const starts = new Map<string, number>();
  const named = (name: string, start: number): void => void (starts.has(name) || starts.set(name, start));
  new Visitor({
    VariableDeclarator: ({ id, init, start }) => {
      if (id.type !== "Identifier" || !init) return;
      named(id.name, start);
      if (!constants.has(id.name)) constants.set(id.name, valueIn(init, text));
    },
    FunctionDeclaration: ({ id, start }) => id && named(id.name, start),
    TSTypeAliasDeclaration: ({ id, start }) => named(id.name, start),
    TSInterfaceDeclaration: ({ id, start }) => named(id.name, start),
  }).visit(program);
  const above = [...starts].flatMap(([name, start]) => {
    const comment = comments.findLast(({ end }) => end <= start);
    const between = comment ? text.slice(comment.end, start) : "";
    return comment && /^\s*(export\s+)?(const\s+|async\s+)*$/.test(between)
      ? [[name, bare(comment.value)] as const]
      : [];
  });
  return { path, text, constants, comments: new Map(above) };
}

type Node = { readonly type: string; readonly start: number; readonly end: number };

function valueIn(node: Node, text: string): Value {
  const inner = unwrapped(node);
  const entries = inner.type === "ObjectExpression" ? entriesOf(inner as ObjectExpression, text) : [];
  return { text: text.slice(inner.start, inner.end), entries };
}

/** What stands inside of `x as const` and `x satisfies Y`. */
function unwrapped(node: Node): Node {
  const wraps = node.type === "TSAsExpression" || node.type === "TSSatisfiesExpression";
  return wraps ? unwrapped((node as Node & { expression: Node }).expression) : node;
}

function entriesOf({ properties }: ObjectExpression, text: string): Value["entries"] {
  return properties.map((property) => {
    if (property.type === "SpreadElement")
      return { name: "...", text: text.slice(property.argument.start, property.argument.end), entries: [] };
    const { key, value } = property;
    const name = key.type === "Identifier" ? key.name : text.slice(key.start, key.end);
    return { name, ...valueIn(value, text) };
  });
}

function bare(comment: string): string {
  return comment.replaceAll(/^\s*\*? ?/gm, "").trim();
}
