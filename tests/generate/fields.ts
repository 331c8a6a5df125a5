import type { Operation } from "@holdfast/protocol";

/** One argument of an operation, as its schema tells it to clients. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  /** As JSON; empty when there is none. */
  readonly byDefault: string;
  readonly description: string;
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
}

/** The arguments of an operation, in the order in which it declares them. */
export function fieldsOf(op: Operation): Field[] {
  const schema = op.request.toJSONSchema({ io: "input", unrepresentable: "any" }) as Schema;
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).map(([name, shape]) => ({
    name,
    type: typeText(shape),
    required: required.includes(name),
    byDefault: shape.default === undefined || shape.default === "" ? "" : JSON.stringify(shape.default),
    description: shape.description ?? "",
  }));
}

/** The names of what an operation answers with, at the top. */
export function answerFields(op: Operation): string[] {
  const schema = op.response.toJSONSchema({ io: "output", unrepresentable: "any" }) as Schema;
  return Object.keys(schema.properties ?? {});
}

function typeText(shape: Schema): string {
  if (shape.enum) return shape.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (shape.type === "array")
    return `list of ${shape.items?.properties ? objectText(shape.items) : typeText(shape.items ?? {})}`;
  if (shape.type === "object") return objectText(shape);
  if (shape.type === "integer") return "whole number";
  return shape.type ?? "any JSON";
}

function objectText({ properties = {}, required = [] }: Schema): string {
  const names = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
  return `\`{ ${names.join(", ")} }\``;
}
