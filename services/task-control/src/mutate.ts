import { createHmac } from "node:crypto";
import { ANSWERED_ELSEWHERE, type Incoming, ledgerKey, queueLength } from "@holdfast/bus";
import {
  type Answer,
  asFailure,
  type Call,
  call,
  type Failure,
  failure,
  HoldfastError,
  isLate,
  type LedgerEntry,
  newTabPolicy,
  noIdentity,
  operationNamed,
  PENDING,
} from "@holdfast/protocol";
import { queuedOf } from "./core/admission.js";
import type { Decision, Mutation } from "./core/inputs.js";
import { JOIN_WAIT_MS } from "./limits.js";
import type { Parts } from "./parts.js";
import { wasNeverBegun } from "./strays.js";
import { tabNamed } from "./tab-named.js";

/** The fields that do not change what is done: the same call with another patience is the same call. */
const NOT_ARGUMENTS: readonly string[] = ["operationId", "timeoutMs"];

/**
 * Admits a mutation: what passes is queued for the project's worker, which answers the asker itself.
 * The same operation id again gives the stored or the coming outcome, and runs nothing.
 */
export function mutations(parts: Parts): (body: unknown, incoming: Incoming) => Promise<Admitting> {
  return async (body, incoming) => {
    const asked = call.parse(body);
    const answer = await admit(parts, incoming.last, asked, incoming.replyTo).catch((thrown: unknown) =>
      refusal(asked, asFailure(thrown)),
    );
    if (isAnswer(answer)) parts.history.answered(incoming.last, asked, answer, 0);
    return answer;
  };
}

/** PENDING: whoever asks again hears at once that it is on its way, and goes on waiting for its end. */
type Admitting = Answer | typeof ANSWERED_ELSEWHERE | typeof PENDING;

function isAnswer(admitting: Admitting): admitting is Answer {
  return typeof admitting === "object" && "ok" in admitting;
}

async function admit(parts: Parts, workspaceId: string, asked: Call, replyTo: string): Promise<Admitting> {
  // This process was stopped for a while. By now it was asked of another, who may have refused it.
  if (isLate(asked, Date.now())) return PENDING;
  if (asked.again && (await parts.inLine(workspaceId, asked.operationId))) return PENDING;
  const fingerprint = fingerprintOf(asked, parts.fingerprintKey);
  const stored = asked.chosen || asked.again ? await storedOf(parts, workspaceId, asked) : null;
  if (stored) return replay(parts, workspaceId, asked, { ...stored, asked: fingerprint });
  const { mutation, state } = await mutationOf(parts, workspaceId, asked, fingerprint);
  // What is queued already waits for a worker as long as it takes; only what is new is refused when there is none.
  if (!asked.again || !(await isAdmitted(parts, workspaceId, asked))) await parts.workers.ensure(state);
  const decision = await parts.store.apply(workspaceId, { input: "mutate", ...mutation });
  const { reply } = decision.reply;
  if (decision.reply.reply === "refused") return refusal(asked, decision.reply.failure);
  if (reply === "attached" && !asked.again) return join(parts, workspaceId, asked);
  if (reply === "attached") return attached(parts, workspaceId, decision, { asked, replyTo, mutation });
  await queue(parts, workspaceId, decision, { asked, replyTo });
  return ANSWERED_ELSEWHERE;
}

async function isAdmitted(parts: Parts, workspaceId: string, { operationId }: Call): Promise<boolean> {
  return (await parts.store.get(workspaceId)).pending.some((op) => op.operationId === operationId);
}

/** The ledger's entry. One that says no more than that it never reached a queue makes room: it may be begun now. */
async function storedOf(parts: Parts, workspaceId: string, asked: Call): Promise<LedgerEntry | null> {
  const key = ledgerKey(workspaceId, asked.operationId);
  const entry = await parts.ledger.get(key);
  if (!entry || !wasNeverBegun(entry.value)) return entry?.value ?? null;
  await parts.ledger.remove(key, entry.revision);
  return null;
}

/** It is in the state and not ended. Where whoever admitted it died before he had queued it, it is queued now. */
async function attached(
  parts: Parts,
  workspaceId: string,
  { next }: Decision,
  { asked, replyTo, mutation }: { asked: Call; replyTo: string; mutation: Mutation },
): Promise<Admitting> {
  if ((await queueLength(parts.bus, workspaceId)) > 0) return PENDING;
  const viewedBy = parts.views.byTab(workspaceId);
  await parts.effects.enqueue(workspaceId, { effect: queuedOf(next, mutation), call: asked, replyTo, viewedBy });
  return ANSWERED_ELSEWHERE;
}

async function queue(
  parts: Parts,
  workspaceId: string,
  decision: Decision,
  from: { asked: Call; replyTo: string },
): Promise<void> {
  for (const effect of decision.effects) {
    if (effect.effect !== "enqueue") continue;
    const admission = { effect, call: from.asked, replyTo: from.replyTo, viewedBy: parts.views.byTab(workspaceId) };
    await parts.effects.enqueue(workspaceId, admission).catch(async (thrown: unknown) => {
      // With the bus away nobody knows whether it is queued. It stays: asked for again it is queued, and if nobody asks, the
      // sweep finds out.
      if (asFailure(thrown).code === "MCP_BUS_DOWN") throw thrown;
      // It was never queued, so it makes room again; the asker hears why.
      const { operationId, operation, taskId, tabId } = effect.mutation;
      await parts.store.apply(workspaceId, {
        input: "ended",
        operationId,
        operation,
        taskId,
        tabId,
        outcome: "refused",
      });
      throw thrown;
    });
  }
}

async function mutationOf(
  parts: Parts,
  workspaceId: string,
  asked: Call,
  fingerprint: string,
): Promise<{ mutation: Mutation; state: Awaited<ReturnType<Parts["store"]["get"]>> }> {
  const op = operationNamed(asked.operation);
  if (op.lane !== "mutation") throw new HoldfastError("MCP_BAD_ARGUMENTS", `${op.name} is no mutation.`);
  const state = await parts.store.recall(workspaceId);
  const named = await tabNamed(parts, state, asked.request);
  const mutation: Mutation = {
    operationId: asked.operationId,
    operation: op.name,
    fingerprint,
    taskId: textOr(asked.request.taskId),
    profileId: textOr(asked.request.profileId),
    ...named,
    selectsTab: op.selectsTab === true,
    ofProject: op.ofProject === true,
    newTab: newTabPolicy.nullable().parse(asked.request.newTab ?? null),
  };
  return { mutation, state };
}

function textOr(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** The operation is on its way already: this asker waits for the same end. */
async function join(parts: Parts, workspaceId: string, asked: Call): Promise<Answer> {
  const entry = await ledgerEnd(parts, ledgerKey(workspaceId, asked.operationId));
  if (!entry) return refusal(asked, failure("MCP_DEADLINE", `The operation did not end within ${JOIN_WAIT_MS} ms.`));
  return replayed(parts, workspaceId, asked, entry);
}

async function replay(
  parts: Parts,
  workspaceId: string,
  asked: Call,
  entry: LedgerEntry & { asked: string },
): Promise<Admitting> {
  if (entry.fingerprint !== entry.asked) {
    return refusal(
      asked,
      failure("MCP_OPERATION_CONFLICT", "", { operationId: asked.operationId, operation: entry.operation }),
    );
  }
  if (entry.outcome !== "running") return replayed(parts, workspaceId, asked, entry);
  return asked.again ? PENDING : join(parts, workspaceId, asked);
}

/** Whoever hears how it ended goes on at once: so the project has heard it before, and stands where the outcome is unknown. */
async function replayed(parts: Parts, workspaceId: string, asked: Call, entry: LedgerEntry): Promise<Answer> {
  const { answer, outcome, operationId } = entry;
  await parts.store.catchUp(workspaceId, await parts.store.get(workspaceId), operationId);
  // Whoever asks again because his answer was lost hears it for the first time.
  if (answer) return { ...answer, identity: { ...answer.identity, replayed: asked.again !== true } } as Answer;
  const code = outcome === "unknown" ? "MCP_OUTCOME_UNKNOWN" : "MCP_STOPPED";
  return refusal(asked, failure(code, "", { operationId, outcome }));
}

async function ledgerEnd(parts: Parts, key: string): Promise<LedgerEntry | null> {
  let settle: (entry: LedgerEntry | null) => void = () => undefined;
  const ended = new Promise<LedgerEntry | null>((resolve) => {
    settle = resolve;
  });
  const watching = await parts.ledger.watch((_key, entry) => {
    if (entry && entry.value.outcome !== "running") settle(entry.value);
  }, key);
  const timer = setTimeout(() => settle(null), JOIN_WAIT_MS);
  const entry = await ended;
  clearTimeout(timer);
  watching.stop();
  return entry;
}

function refusal(asked: Call, told: Failure): Answer {
  return { ok: false, failure: told, identity: noIdentity(asked.operationId) };
}

/** What a call does, as a secret of the stack tells it: the same id again must mean the same. */
export function fingerprintOf(asked: Pick<Call, "operation" | "request">, key: string): string {
  const args = Object.entries(asked.request).filter(
    ([name, value]) => value !== undefined && !NOT_ARGUMENTS.includes(name),
  );
  const text = JSON.stringify([asked.operation, args.sort(([a], [b]) => (a < b ? -1 : 1))]);
  return createHmac("sha256", key).update(text).digest("base64url");
}
