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
import type { Reply } from "./core/inputs.js";
import type { ProjectState } from "./core/state.js";
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
    const answer = await admit(parts, incoming, asked).catch((thrown: unknown) => refusal(asked, asFailure(thrown)));
    if (answer !== ANSWERED_ELSEWHERE) parts.history.answered(incoming.last, asked, answer, 0);
    return answer;
  };
}

async function admit(parts: Parts, incoming: Incoming, asked: Call): Promise<Answer | typeof ANSWERED_ELSEWHERE> {
  const { state, tabId, reply } = await judged(parts, incoming.last, asked);
  if (reply.reply === "refused") return refusal(asked, reply.failure);
  const holder = await parts.workers.ensure(state);
  const work: Admitted = {
    operation: asked.operation,
    operationId: asked.operationId,
    request: asked.request,
    workspaceId: incoming.last,
    profileId: reply.reply === "admitted" ? reply.profileId : "default",
    tabId,
    cursorless: state.cursor === null,
    taskId: textOr(asked.request.taskId),
    newTab: "report",
    generation: state.generation,
    fingerprint: "",
    expiresAt: 0,
    replyTo: incoming.replyTo,
    viewedBy: parts.views.byTab(incoming.last),
    caller: asked.caller,
  };
  forward(parts.bus, wire.worker(holder.workerId, "read"), work, incoming.replyTo);
  return ANSWERED_ELSEWHERE;
}

interface Judged {
  readonly state: ProjectState;
  readonly tabId: string | null;
  readonly reply: Reply;
}

/** Nobody is refused because of an operation that has ended: its end may be in the ledger before its report is here. */
async function judged(parts: Parts, workspaceId: string, asked: Call, again = true): Promise<Judged> {
  const state = await parts.store.get(workspaceId);
  const named = await tabNamed(parts, state, asked.request);
  const profileId = textOr(asked.request.profileId);
  const ofProject = operationNamed(asked.operation).ofProject === true;
  const { reply } = decide(state, { input: "read", at: new Date().toISOString(), profileId, ...named, ofProject });
  const late = again && reply.reply === "refused" && (await parts.store.catchUp(workspaceId, state));
  return late ? judged(parts, workspaceId, asked, false) : { state, tabId: named.tabId, reply };
}

function textOr(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function refusal(asked: Call, told: Failure): Answer {
  return { ok: false, failure: told, identity: noIdentity(asked.operationId) };
}
