import { type Answer, MASK, type Operation } from "@holdfast/protocol";

/** Shorter values stand in any text by chance, and masking them would spoil it without hiding anything. */
const SECRET_CHARS_MIN = 4;
/** Of a field that is filled in, what says which one it is; only its value is a secret. */
const NAMES_A_FIELD: readonly string[] = ["target", "name", "element", "type", "kind"];

/** An answer as it may be kept: a page tree that was asked for with it may show what was typed, and that is not kept. */
export function storedAnswer(
  op: Pick<Operation, "secrets">,
  request: Readonly<Record<string, unknown>>,
  answer: Answer,
): Answer {
  const secrets = (op.secrets ?? []).flatMap((name) => textsIn(request[name]));
  const telling = [...new Set(secrets)].filter((text) => text.length >= SECRET_CHARS_MIN);
  // The longest first, so that one that is part of another leaves nothing of it.
  telling.sort((a, b) => b.length - a.length);
  return telling.length === 0 ? answer : (withoutAll(answer, telling) as Answer);
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (value === null || typeof value !== "object") return [];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return Object.entries(value).flatMap(([name, inner]) => (NAMES_A_FIELD.includes(name) ? [] : textsIn(inner)));
}

function withoutAll(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === "string") return secrets.reduce((text, secret) => text.replaceAll(secret, MASK), value);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((inner) => withoutAll(inner, secrets));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutAll(inner, secrets)]));
}
