import type { Operation } from "./operation.js";

/** What stands in a record where a secret was. */
export const MASK = "[masked]";
/** Characters of one argument that a record keeps: enough to tell what was asked, while a script of a megabyte is cut. */
export const ARGUMENT_CHARS_MAX = 2_000;
/** Levels of arguments that a record keeps. */
const DEPTH_MAX = 6;
/** Of a field that is filled in, what says which one it is; its value is the secret. */
const NAMES_A_FIELD: readonly string[] = ["target", "name", "element", "type"];
/** Fields that say whose an operation is; a record has them as its own. */
const NOT_ARGUMENTS: readonly string[] = ["workspaceId", "profileId", "tabId", "taskId", "operationId"];

/** The arguments of an operation as they may be kept: secrets masked, passwords out of addresses, long ones cut. */
export function argumentsTold(
  op: Pick<Operation, "secrets">,
  request: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const secrets = op.secrets ?? [];
  const given = Object.entries(request).filter(([name, value]) => value !== undefined && !NOT_ARGUMENTS.includes(name));
  return Object.fromEntries(
    given.map(([name, value]) => [name, secrets.includes(name) ? masked(value) : cut(value, 0)]),
  );
}

/** Everything is masked but what names the fields that were meant. */
function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (value === null || typeof value !== "object") return MASK;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([name, inner]) => [name, NAMES_A_FIELD.includes(name) ? inner : MASK]));
}

function cut(value: unknown, depth: number): unknown {
  if (typeof value === "string") return cutText(withoutUserInfo(value));
  if (value === null || typeof value !== "object") return value;
  if (depth >= DEPTH_MAX) return "[deeper]";
  if (Array.isArray(value)) return value.map((item) => cut(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cut(inner, depth + 1)]));
}

function cutText(text: string): string {
  return text.length <= ARGUMENT_CHARS_MAX
    ? text
    : `${text.slice(0, ARGUMENT_CHARS_MAX)}[cut: ${text.length} characters]`;
}

/** `https://name:password@host` without the two. */
export function withoutUserInfo(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@?#\s]*@/i, `$1${MASK}@`);
}
