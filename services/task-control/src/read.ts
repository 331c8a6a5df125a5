import { ANSWERED_ELSEWHERE, forward, type Incoming } from "@holdfast/bus";
import {
  type Admitted,
  type Answer,
  asFailure,
  type Call,
  call,
  type Failure,
  noIdentity,
  operationNamed,
  wire,
} from "@holdfast/protocol";
import { decide } from "./core/decide.js";
import type { Parts } from "./parts.js";
import { tabNamed } from "./tab-named.js";

/**
 * Admits a read of a page and hands it to the project's worker, which answers the asker itself.
 * Nothing is stored and no cursor moves; it may run beside a mutation.
 */
export function reads(
  parts: Parts,
): (body: unknown, incoming: Incoming) => Promise<Answer | typeof ANSWERED_ELSEWHERE> {
  return async (body, incoming) => {
    const asked = call.parse(body);
    try {
      return await admit(parts, incoming, asked);
    } catch (thrown) {
      return refusal(asked, asFailure(thrown));
    }
  };
}

async function admit(parts: Parts, incoming: Incoming, asked: Call): Promise<Answer | typeof ANSWERED_ELSEWHERE> {
  const workspaceId = incoming.last;
  const state = await parts.store.get(workspaceId);
  const named = await tabNamed(parts, state, asked.request);
  const ofProject = operationNamed(asked.operation).ofProject === true;
  const { reply } = decide(state, { input: "read", at: new Date().toISOString(), ...named, ofProject });
  if (reply.reply === "refused") return refusal(asked, reply.failure);
  const holder = await parts.workers.ensure(state);
  const work: Admitted = {
    operation: asked.operation,
    operationId: asked.operationId,
    request: asked.request,
    workspaceId,
    profileId: reply.reply === "admitted" ? reply.profileId : "default",
    tabId: named.tabId,
    taskId: typeof asked.request.taskId === "string" ? asked.request.taskId : null,
    newTab: "report",
    generation: state.generation,
    fingerprint: "",
    expiresAt: 0,
    replyTo: incoming.replyTo,
    viewedBy: parts.views.byTab(workspaceId),
  };
  forward(parts.bus, wire.worker(holder.workerId, "read"), work, incoming.replyTo);
  return ANSWERED_ELSEWHERE;
}

function refusal(asked: Call, told: Failure): Answer {
  return { ok: false, failure: told, identity: noIdentity(asked.operationId) };
}
