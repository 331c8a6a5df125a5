import { type Bus, type Handle, serve } from "@holdfast/bus";
import {
  type Answer,
  asFailure,
  type Call,
  call as callShape,
  catalogue,
  failure,
  isLate,
  noIdentity,
  type Operation,
  parseRequest,
  type Target,
  wire,
  workerGone,
} from "@holdfast/protocol";
import { historyHandlers } from "./history.js";
import { mutations } from "./mutate.js";
import type { Parts } from "./parts.js";
import { programHandlers } from "./program.js";
import { projectHandlers } from "./project.js";
import { reads } from "./read.js";
import { recordingHandlers } from "./recording.js";
import { reports } from "./report.js";
import { settingHandlers } from "./settings.js";
import { lookAfter } from "./sweep.js";
import { systemHandlers } from "./system.js";
import { taskHandlers } from "./task.js";
import { transferHandlers } from "./transfer.js";
import { viewHandlers } from "./view.js";

/** Replicas of task-control share the work under this name. */
const QUEUE = "task-control";

type Handler = (request: never, context: unknown) => unknown;

/** Serves every operation of ours on its own lane: control on a connection of its own. */
export function serveAll(parts: Parts, control: Bus, afterQuit: () => void): void {
  const handlers: Record<string, Handler> = {
    ...projectHandlers(parts),
    ...taskHandlers(parts),
    ...viewHandlers(parts),
    ...recordingHandlers(parts),
    ...programHandlers(parts),
    ...systemHandlers(parts),
    ...settingHandlers(parts),
    ...historyHandlers(parts),
    ...transferHandlers(parts),
  };
  for (const op of catalogue as readonly Operation[]) {
    const bus = op.lane === "control" ? control : parts.bus;
    if (op.owner === "task-control") on(parts, bus, op.subject.pattern, handled(parts, op, handlers, afterQuit));
    else if (op.lane === "query") on(parts, bus, op.subject.pattern, reads(parts));
  }
  on(parts, parts.bus, wire.admitPattern, mutations(parts));
  on(parts, control, wire.reportPattern, reports(parts));
  on(parts, control, wire.workerGone, async (body) => {
    const projects = await parts.workers.gone(workerGone.parse(body).workerId);
    for (const workspaceId of projects) void lookAfter(parts, workspaceId);
    return { ok: true };
  });
}

function on(parts: Parts, bus: Bus, pattern: string, handle: Handle): void {
  const onFailure = (told: unknown, incoming: unknown): void =>
    parts.log.error({ failure: told, incoming }, "a message failed");
  serve(bus, { pattern, queue: QUEUE, onFailure }, handle);
}

function handled(parts: Parts, op: Operation, handlers: Record<string, Handler>, afterQuit: () => void): Handle {
  const handler = handlers[op.name];
  if (!handler) throw new Error(`No handler for ${op.name}.`);
  const answered = async (asked: Call): Promise<Answer> => {
    const identity = noIdentity(asked.operationId);
    try {
      const result = await handler(parseRequest(op, asked.request) as never, { caller: asked.caller });
      if (op.name === "system_quit") setImmediate(afterQuit);
      return { ok: true, result, identity: { ...identity, target: targetOf(result) } };
    } catch (thrown) {
      const failure = asFailure(thrown);
      if (failure.code === "MCP_INTERNAL") parts.log.error({ op: op.name, err: thrown }, "an operation failed");
      return { ok: false, failure, identity };
    }
  };
  return async (body, { last: workspaceId }): Promise<Answer> => {
    const asked = callShape.parse(body);
    // This process was stopped for a while, and whoever asked has been told that it was not done.
    if (isLate(asked, Date.now()))
      return { ok: false, failure: failure("MCP_DEADLINE"), identity: noIdentity(asked.operationId) };
    const begunAt = performance.now();
    const answer = await answered(asked);
    const orders = op.lane === "control" && "workspaceId" in op.request.shape;
    if (orders) parts.history.answered(workspaceId, asked, answer, Math.round(performance.now() - begunAt));
    return answer;
  };
}

/** Where a result names a cursor and its tabs, the answer is about that tab. */
function targetOf(result: unknown): Target | null {
  const { cursor, tabs = [] } = result as { cursor?: Target | null; tabs?: readonly Target[] };
  if (!cursor) return null;
  const { workspaceId, profileId, tabId } = cursor;
  const tab = tabs.find((known) => known.tabId === tabId);
  return { workspaceId, profileId, tabId, url: tab?.url ?? "", title: tab?.title ?? "" };
}
