import { HoldfastError } from "./failures.js";
import { DEFAULT_WORKSPACE } from "./ids.js";
import type { Operation } from "./operation.js";
import { attachOperations } from "./operations/attach.js";
import { pageOperations } from "./operations/page.js";
import { programOperations, stepOperations } from "./operations/program.js";
import { projectOperations } from "./operations/project.js";
import { recordOperations } from "./operations/record.js";
import { recordingOperations } from "./operations/recording.js";
import { ruleOperations } from "./operations/rules.js";
import { scriptOperations } from "./operations/scripts.js";
import { systemOperations } from "./operations/system.js";
import { tabOperations } from "./operations/tabs.js";
import { taskOperations } from "./operations/task.js";
import { viewOperations } from "./operations/view.js";

/** Every operation there is. Tools, commands, handlers, docs and permissions are derived from this list and no other. */
export const catalogue = [
  ...projectOperations,
  ...recordOperations,
  ...ruleOperations,
  ...scriptOperations,
  ...tabOperations,
  ...attachOperations,
  ...pageOperations,
  ...taskOperations,
  ...viewOperations,
  ...recordingOperations,
  ...programOperations,
  ...systemOperations,
] as const;

export type AnyOperation = (typeof catalogue)[number];
export type OperationName = AnyOperation["name"];
export type OperationNamed<N extends OperationName> = Extract<AnyOperation, { name: N }>;
/** The operations that one service answers on one lane. */
export type OperationsOf<S extends AnyOperation["owner"], L extends AnyOperation["lane"]> = Extract<
  AnyOperation,
  { owner: S; lane: L }
>;

/** What our own processes ask of each other is no tool and no command, so it is not in the catalogue. */
const byName: ReadonlyMap<string, Operation> = new Map([...catalogue, ...stepOperations].map((op) => [op.name, op]));

export function findOperation(name: string): Operation | undefined {
  return byName.get(name);
}

/** @throws HoldfastError `MCP_BAD_ARGUMENTS` for a name that is not in the catalogue */
export function operationNamed(name: string): Operation {
  const found = byName.get(name);
  if (found) return found;
  throw new HoldfastError("MCP_BAD_ARGUMENTS", `There is no operation ${name}.`, { operation: name });
}

/**
 * The request as the operation takes it: older names of arguments replaced, defaults filled in.
 * @throws HoldfastError `MCP_BAD_ARGUMENTS` with every issue that was found
 */
export function parseRequest(op: Operation, input: unknown): Record<string, unknown> {
  const parsed = op.request.safeParse(withoutAliases(op, input));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({ at: issue.path.join("."), problem: issue.message }));
  const told = issues.map(({ at, problem }) => (at ? `${at}: ${problem}` : problem)).join("; ");
  throw new HoldfastError("MCP_BAD_ARGUMENTS", `${op.name}: ${told}`, { operation: op.name, issues });
}

/** The project a parsed request is about. */
export function workspaceOf(request: Readonly<Record<string, unknown>>): string {
  return typeof request.workspaceId === "string" ? request.workspaceId : DEFAULT_WORKSPACE;
}

function withoutAliases(op: Operation, input: unknown): unknown {
  if (!op.aliases) return input;
  return renamed(op.aliases, input);
}

function renamed(aliases: Readonly<Record<string, string>>, input: unknown): unknown {
  if (Array.isArray(input)) return input.map((item) => renamed(aliases, item));
  if (input === null || typeof input !== "object") return input;
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(input)) {
    const name = aliases[key] ?? key;
    if (name !== key && name in input)
      throw new HoldfastError("MCP_BAD_ARGUMENTS", `Give ${name} or ${key}, not both.`);
    out[name] = key === "fields" ? renamed(aliases, value) : value;
  }
  return out;
}
