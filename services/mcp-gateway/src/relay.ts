import { type Artifacts, type Bus, call, mintOperationId } from "@holdfast/bus";
import {
  type Answer,
  DEFAULT_WORKSPACE,
  failure,
  noIdentity,
  type Operation,
  operationNamed,
  type PageResult,
} from "@holdfast/protocol";
import { type Presented, present, presentFailure } from "./present.js";
import { actionsOf, operationOf } from "./tools.js";

/** What an endpoint's address says: `/mcp?project=shop-a&structured=1`. */
export interface Endpoint {
  readonly project: string | null;
  readonly structured: boolean;
}

export interface Relay {
  readonly bus: Bus;
  readonly artifacts: Artifacts;
}

/** Who calls, and until when somebody waits. */
export interface Caller {
  readonly name: string;
  readonly endpoint: Endpoint;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Whether the client wants the call itself ended, and is not merely gone: then its operation ends too. */
  readonly cancelled: () => boolean;
}

/** Whether there is a tool of that name at all: an unknown one is a protocol error, not an answer. */
export function isTool(name: string): boolean {
  return actionsOf(name).length > 0 || operationOf(name, {}) !== null;
}

/** Translates one call: the tool to its operation, the answer to what MCP shows. */
export async function callTool(
  relay: Relay,
  name: string,
  args: Record<string, unknown>,
  caller: Caller,
): Promise<Presented> {
  const op = operationOf(name, args);
  if (!op) {
    const actions = actionsOf(name);
    const told = failure("MCP_BAD_ARGUMENTS", `${name}: action must be one of ${actions.join(", ")}.`, { actions });
    return presentFailure(told, noIdentity(""));
  }
  const answer = await answered(relay, op, withProject(op, args, caller.endpoint), caller);
  return present(op, answer, { structured: caller.endpoint.structured, image: await imageOf(relay, answer) });
}

/** The endpoint's project, and `default`, are opened by their first call: whoever pastes an address has said what he wants. */
async function answered(relay: Relay, op: Operation, args: Record<string, unknown>, caller: Caller): Promise<Answer> {
  const operationId = typeof args.operationId === "string" ? args.operationId : mintOperationId();
  const options = { caller: caller.name, signal: caller.signal, operationId };
  const answer = await call(relay.bus, op, args, options);
  if (caller.signal.aborted && caller.cancelled() && op.lane === "mutation") {
    const ended = { workspaceId: args.workspaceId, operationId };
    return call(relay.bus, operationNamed("task_cancel"), ended, { caller: caller.name });
  }
  const own = caller.endpoint.project ?? DEFAULT_WORKSPACE;
  if (
    answer.ok ||
    answer.failure.code !== "MCP_PROJECT_NOT_FOUND" ||
    args.workspaceId !== own ||
    op.name === "project_close"
  )
    return answer;
  const opened = await call(relay.bus, operationNamed("project_open"), { workspaceId: own }, options);
  return opened.ok ? call(relay.bus, op, args, options) : opened;
}

function withProject(op: Operation, args: Record<string, unknown>, endpoint: Endpoint): Record<string, unknown> {
  const { action, ...rest } = args;
  const given = op.tool ? rest : args;
  if (!("workspaceId" in op.request.shape) || given.workspaceId !== undefined) return given;
  return { ...given, workspaceId: endpoint.project ?? DEFAULT_WORKSPACE };
}

async function imageOf(relay: Relay, answer: Answer): Promise<{ data: string; mimeType: string } | null> {
  const image = answer.ok ? (answer.result as PageResult | null)?.image : undefined;
  if (!image) return null;
  const data = await relay.artifacts.get(image.name);
  return data ? { data: Buffer.from(data).toString("base64"), mimeType: image.mimeType } : null;
}
