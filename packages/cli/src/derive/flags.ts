import type { Operation } from "@holdfast/protocol";

/** One field of an operation's request, as flags of its command. */
export interface Flag {
  readonly field: string;
  /** Kebab case, without dashes in front: `workspace-id`. */
  readonly name: string;
  readonly kind: "text" | "number" | "switch" | "json" | "any";
  /** A switch that can also be given as `--no-NAME`. */
  readonly negatable: boolean;
  readonly description: string;
}

/** What is read of a field's JSON Schema. */
interface FieldSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly default?: unknown;
}

/** The flags of an operation's command, in the order in which its request names the fields. */
export function flagsOf(op: Operation): Flag[] {
  const schema = op.request.toJSONSchema({ io: "input", unrepresentable: "any" });
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([field, given]) => {
    const shape: FieldSchema = typeof given === "object" ? (given as FieldSchema) : {};
    return flagOf(field, shape, required.has(field));
  });
}

/**
 * The words that call an operation: its family, then its verb. Operations that share one MCP tool are told apart by
 * a word of their own: `browser_tabs_select` is `browser tabs select`, `browser_press_key` is `browser press-key`.
 */
export function wordsOf(op: Operation): [family: string, ...verb: string[]] {
  const [family = op.name, ...rest] = (op.tool?.name ?? op.name).split("_");
  const verb = rest.length > 0 ? [rest.join("-")] : [];
  return op.tool ? [family, ...verb, op.tool.action.replaceAll("_", "-")] : [family, ...verb];
}

/** What was given for a flag, as the request wants it. Text that is no number stays text: the request's own check tells. */
export function requestValue(flag: Flag, given: unknown): unknown {
  if (typeof given !== "string") return given;
  if (flag.kind === "number") return given.trim() === "" || Number.isNaN(Number(given)) ? given : Number(given);
  if (flag.kind === "json" || flag.kind === "any") return jsonOr(given, given);
  return given;
}

/** `timeoutMs` to `timeout-ms`. */
export function kebab(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function flagOf(field: string, shape: FieldSchema, required: boolean): Flag {
  const kind = kindOf(shape);
  return {
    field,
    name: kebab(field),
    kind,
    negatable: kind === "switch" && (required || shape.default === true),
    description: describe(shape, kind, required),
  };
}

function kindOf(shape: FieldSchema): Flag["kind"] {
  if (shape.type === "string" || shape.enum) return "text";
  if (shape.type === "integer" || shape.type === "number") return "number";
  if (shape.type === "boolean") return "switch";
  return shape.type === "array" || shape.type === "object" ? "json" : "any";
}

function describe(shape: FieldSchema, kind: Flag["kind"], required: boolean): string {
  const notes = [
    required ? "required" : "",
    shape.enum ? `one of ${shape.enum.join(", ")}` : "",
    kind === "json" ? "JSON" : "",
    shape.default === undefined || shape.default === "" ? "" : `default ${JSON.stringify(shape.default)}`,
  ].filter(Boolean);
  const noted = notes.length > 0 ? `(${notes.join("; ")})` : "";
  return [shape.description ?? "", noted].filter(Boolean).join(" ");
}

function jsonOr(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}
