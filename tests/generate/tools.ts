import { catalogue, isReadOnly, type Operation } from "@holdfast/protocol";
import { type Field, fieldsOf } from "./fields.js";
import { anchor, code, codes, generated, page, table } from "./markdown.js";

/** The operations by the MCP tool that they make: one each, or several told apart by `action`. */
const byTool = grouped();

export const toolNames: readonly string[] = [...byTool.keys()];

/** The arguments of a tool, `action` first where it has one; for the test that holds this to what the gateway lists. */
export function argumentNames(tool: string): string[] {
  const operations = byTool.get(tool) ?? [];
  const names = new Set(operations.flatMap((op) => fieldsOf(op).map(({ name }) => name)));
  return [...(operations[0]?.tool ? ["action"] : []), ...names];
}

/** Every MCP tool, with its arguments as they are listed to agents. */
export function toolsPage(): string {
  const overview = [...byTool].map(([name, operations]) => [
    `[${code(name)}](#${anchor(name)})`,
    operations.every(isReadOnly) ? "reads" : "changes",
    operations[0]?.answers === "page" ? "text" : "JSON",
    sentencesOf(operations),
  ]);
  return page(
    generated("MCP tools", "the catalogue in `packages/protocol/src/catalogue.ts`"),
    "The page tools bear the names and arguments that agents know from Playwright MCP. Each also takes a project, a profile, a tab, a task, an " +
      "operation id and a time limit, all optional. The project can come from the address instead: `/mcp?project=shop-a`.",
    'A tool whose answer is text begins it with the identity: `shop-a/default/t3 http://… "Title"`. A tool whose answer is JSON gives it as ' +
      '`structuredContent` and as text. Every answer carries `_meta["holdfast/result"]`: target, operation id, new and closed tabs, dialogs, and on ' +
      "failure the error. With `/mcp?structured=1` page tools give `structuredContent` too.",
    table(["Tool", "", "Answer", "What it does"], overview),
    ...[...byTool].map(([name, operations]) => section(name, operations)),
  );
}

function section(name: string, operations: readonly Operation[]): string {
  const shared = operations[0]?.tool !== undefined;
  const actions = operations.flatMap((op) => (op.tool ? [op.tool.action] : []));
  const rows = [...fieldsByName(operations)].map(([field, uses]) => row(field, uses, operations.length));
  const action = shared ? [[code("action"), codes(actions), "required", "What to do."]] : [];
  const all = [...action, ...rows];
  return [
    `## ${name}`,
    sentencesOf(operations),
    all.length > 0 ? table(["Argument", "Type", "Default", "Meaning"], all) : "No arguments.",
  ].join("\n\n");
}

interface Use {
  readonly op: Operation;
  readonly field: Field;
}

function fieldsByName(operations: readonly Operation[]): Map<string, Use[]> {
  const uses = new Map<string, Use[]>();
  for (const op of operations) {
    for (const field of fieldsOf(op)) uses.set(field.name, [...(uses.get(field.name) ?? []), { op, field }]);
  }
  return uses;
}

function row(name: string, uses: readonly Use[], operations: number): string[] {
  const [first] = uses;
  const everywhere = uses.length === operations;
  const only = everywhere ? "" : `Only ${codes(uses.flatMap(({ op }) => (op.tool ? [op.tool.action] : [])))}. `;
  const required = uses.every(({ field }) => field.required);
  return [
    code(name),
    first?.field.type ?? "",
    required ? "required" : (first?.field.byDefault ?? "") && code(first?.field.byDefault ?? ""),
    only + (first?.field.description ?? ""),
  ];
}

function sentencesOf(operations: readonly Operation[]): string {
  return operations.map((op) => (op.tool ? `${code(op.tool.action)}: ${op.sentence}` : op.sentence)).join("\n");
}

function grouped(): ReadonlyMap<string, readonly Operation[]> {
  const groups = new Map<string, Operation[]>();
  for (const op of catalogue as readonly Operation[]) {
    const name = op.tool?.name ?? op.name;
    groups.set(name, [...(groups.get(name) ?? []), op]);
  }
  return groups;
}
