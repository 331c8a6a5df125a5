import { type CallExpression, type NewExpression, Visitor } from "oxc-parser";
import type { LineOf, Parsed } from "./measure.js";
import type { Source } from "./sources.js";

export interface Finding {
  readonly rule: Rule;
  readonly at: string;
}

/** What each rule asks for, and why: a check that fails should teach. */
export const RULES = {
  any: "`any` switches the compiler off for all that it touches; say `unknown` and look at it, or name the type.",
  nonNull: "A `!` claims what the compiler cannot see; check it, and throw a sentence when it is not so.",
  emptyCatch: "An empty catch hides a fault for ever; handle it, or let it through.",
  sleep:
    "A fixed sleep is too long on a fast machine and too short on a slow one; wait for what can be observed. " +
    "Where nothing can be observed and one has to look again and again, list the file under `polls` in boundaries.json with the reason.",
  todo: "A TODO without an owner is nobody's; write `TODO(name): what`, or do it.",
  ticket:
    "A comment must not cite what a stranger cannot open (a ticket, a milestone, a review); say the reason itself.",
} as const;
export type Rule = keyof typeof RULES;

export function findRules(source: Source, parsed: Parsed, lineOf: LineOf): Finding[] {
  return [...inSyntax(source, parsed, lineOf), ...inComments(source, parsed, lineOf)];
}

function inSyntax(source: Source, parsed: Parsed, lineOf: LineOf): Finding[] {
  const found: Finding[] = [];
  const promises: Executor[] = [];
  const add = (rule: Rule, { start }: { start: number }): void => {
    found.push({ rule, at: `${source.path}:${lineOf(start)}` });
  };
  new Visitor({
    TSAnyKeyword: (node) => add("any", node),
    TSNonNullExpression: (node) => add("nonNull", node),
    CatchClause: (node) => {
      if (node.body.body.length === 0 && !source.isTest) add("emptyCatch", node);
    },
    NewExpression: (node) => promises.push(...executorOf(node, source.text)),
    CallExpression: (node) => {
      const around = promises.findLast(({ start, end }) => start < node.start && node.end <= end);
      if (around && isSleep(around, node, source.text)) add("sleep", node);
    },
    ImportDeclaration: (node) => {
      if (node.source.value === "node:timers/promises") add("sleep", node);
    },
  }).visit(parsed.program);
  return found;
}

/** The function that a promise is made with. */
interface Executor {
  readonly resolve: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function executorOf({ arguments: [executor] }: NewExpression, text: string): Executor[] {
  if (executor?.type !== "ArrowFunctionExpression" && executor?.type !== "FunctionExpression") return [];
  const { start, end } = executor;
  const [resolve] = executor.params;
  return resolve?.type === "Identifier" ? [{ resolve: resolve.name, text: text.slice(start, end), start, end }] : [];
}

/**
 * A promise that time alone resolves, in any of its spellings. One that something else resolves too, or whose timer is
 * kept so that it can be cleared, is a deadline.
 */
function isSleep({ resolve, text }: Executor, call: CallExpression, source: string): boolean {
  const [callback] = call.arguments;
  if (call.callee.type !== "Identifier" || call.callee.name !== "setTimeout" || callback === undefined) return false;
  if (/=\s*$/.test(source.slice(0, call.start))) return false;
  const named = text.match(new RegExp(`\\b${resolve}\\b`, "g"))?.length ?? 0;
  return named === 2 && callsOnly(resolve, source.slice(callback.start, callback.end));
}

/** The callback is the promise's own resolve, or does nothing but call it with nothing. */
function callsOnly(resolve: string, callback: string): boolean {
  const bare = callback.replaceAll(/\s|;/g, "");
  return [resolve, `()=>${resolve}()`, `()=>{${resolve}()}`, `()=>${resolve}(undefined)`].includes(bare);
}

/** Standards and encodings have names of the same form as tickets. */
const STANDARD = /^(UTF|SHA|ISO|RFC|ADR|CVE|AES|PKCS|ES|HTTP|SEP)-/;
const TICKET = /\b[A-Z]{1,10}-\d+\b|(?<![\w/]|PKCS )#\d+\b|\b(issue|ticket|milestone|sprint|phase|PR) #?\d+\b/g;

function inComments(source: Source, parsed: Parsed, lineOf: LineOf): Finding[] {
  return parsed.comments.flatMap(({ value, start }) => {
    const at = `${source.path}:${lineOf(start)}`;
    const found: Finding[] = [];
    if (/\b(TODO|FIXME|XXX|HACK)\b(?!\(\w+\):)/.test(value)) found.push({ rule: "todo", at });
    if ((value.match(TICKET) ?? []).some((name) => !STANDARD.test(name))) found.push({ rule: "ticket", at });
    return found;
  });
}
