import { catalogue, isReadOnly, type Operation } from "@holdfast/protocol";
import { z } from "zod";
import { DESCRIPTION_CHARS_MAX } from "./limits.js";

type JsonSchema = Record<string, unknown>;

/** An MCP tool as it is listed. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: {
    readonly type: "object";
    readonly properties: JsonSchema;
    readonly required: string[];
    readonly additionalProperties: false;
  };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** The catalogue by the name of the tool: an operation of its own, or several told apart by their action. */
const byTool: ReadonlyMap<string, readonly Operation[]> = grouped();

function grouped(): Map<string, Operation[]> {
  const groups = new Map<string, Operation[]>();
  for (const op of catalogue as readonly Operation[]) {
    const name = op.tool?.name ?? op.name;
    groups.set(name, [...(groups.get(name) ?? []), op]);
  }
  return groups;
}

/** The tools, derived from the catalogue: an operation is one tool, or one action of a tool that it shares. */
export const tools: readonly Tool[] = [...byTool].map(([name, operations]) => toolOf(name, operations));

/** The operation that a call of a tool means; null if there is none. */
export function operationOf(tool: string, args: Readonly<Record<string, unknown>>): Operation | null {
  const operations = byTool.get(tool);
  if (!operations) return null;
  const [only] = operations;
  if (only && !only.tool) return only;
  return operations.find((op) => op.tool?.action === args.action) ?? null;
}

/** The actions of a tool; none for one that has no `action`. */
export function actionsOf(tool: string): string[] {
  return (byTool.get(tool) ?? []).flatMap((op) => (op.tool ? [op.tool.action] : []));
}

function toolOf(name: string, operations: readonly Operation[]): Tool {
  const [first] = operations;
  const single = first && !first.tool ? first : null;
  const schemas = operations.map(schemaOf);
  const readOnly = operations.every(isReadOnly);
  return {
    name,
    description: single ? describe(single) : describeActions(operations),
    inputSchema: single ? merged(schemas) : withAction(merged(schemas), operations),
    annotations: { readOnlyHint: readOnly, destructiveHint: !readOnly, openWorldHint: true },
  };
}

function describe(op: Operation): string {
  return op.sentence.slice(0, DESCRIPTION_CHARS_MAX);
}

function describeActions(operations: readonly Operation[]): string {
  const lines = operations.map((op) => `${op.tool?.action}: ${op.sentence}`);
  return lines.join("\n").slice(0, DESCRIPTION_CHARS_MAX);
}

interface ObjectSchema {
  readonly properties: JsonSchema;
  readonly required: string[];
}

function schemaOf(op: Operation): ObjectSchema {
  const schema = z.toJSONSchema(op.request, { io: "input" }) as { properties?: JsonSchema; required?: string[] };
  return { properties: schema.properties ?? {}, required: schema.required ?? [] };
}

/** One schema that takes what any of them takes; required is only what all require. Clients refuse a union at the root. */
function merged(schemas: readonly ObjectSchema[]): Tool["inputSchema"] {
  const properties = Object.assign({}, ...schemas.map((schema) => schema.properties)) as JsonSchema;
  const required = (schemas[0]?.required ?? []).filter((name) =>
    schemas.every((schema) => schema.required.includes(name)),
  );
  return { type: "object", properties, required, additionalProperties: false };
}

function withAction(schema: Tool["inputSchema"], operations: readonly Operation[]): Tool["inputSchema"] {
  const action = { type: "string", enum: operations.map((op) => op.tool?.action), description: "What to do." };
  return { ...schema, properties: { action, ...schema.properties }, required: ["action", ...schema.required] };
}
