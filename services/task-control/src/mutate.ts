import { createHmac } from "node:crypto";
import { ANSWERED_ELSEWHERE, type Incoming, ledgerKey } from "@holdfast/bus";
import {
  type Answer,
  asFailure,
  type Call,
  call,
  type Failure,
  failure,
  HoldfastError,
  type LedgerEntry,
  newTabPolicy,
  noIdentity,
  operationNamed,
} from "@holdfast/protocol";
import type { Decision, Mutation } from "./core/inputs.js";
import { JOIN_WAIT_MS } from "./limits.js";
import type { Parts } from "./parts.js";
import { tabNamed } from "./tab-named.js";

/** The fields that do not change what is done: the same call with another patience is the same call. */
const NOT_ARGUMENTS: readonly string[] = ["operationId", "timeoutMs"];

/**
 * Admits a mutation: what passes is queued for the project's worker, which answers the asker itself.
 * The same operation id again gives the stored or the coming outcome, and runs nothing.
 */
export function mutations(
  parts: Parts,
): (body: unknown, incoming: Incoming) => Promise<Answer | typeof ANSWERED_ELSEWHERE> {
  return async (body, incoming) => {
    const asked = call.parse(body);
    try {
      return await admit(parts, incoming.last, asked, incoming.replyTo);
    } catch (thrown) {
      return refusal(asked, asFailure(thrown));
    }
  };
}

async function admit(
  parts: Parts,
  workspaceId: string,
  asked: Call,
  replyTo: string,
): Promise<Answer | typeof ANSWERED_ELSEWHERE> {
  const fingerprint = fingerprintOf(asked, parts.fingerprintKey);
  const stored = asked.chosen ? await parts.ledger.get(ledgerKey(workspaceId, asked.operationId)) : null;
  if (stored) return replay(parts, workspaceId, asked, { ...stored.value, asked: fingerprint });
  const { mutation, state } = await mutationOf(parts, workspaceId, asked, fingerprint);
  await parts.workers.ensure(state);
  const decision = await parts.store.apply(workspaceId, { input: "mutate", ...mutation });
  if (decision.reply.reply === "refused") return refusal(asked, decision.reply.failure);
  if (decision.reply.reply === "attached") return join(parts, workspaceId, asked);
  await queue(parts, workspaceId, decision, { asked, replyTo });
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
  return replayed(asked, entry);
}

async function replay(
  parts: Parts,
  workspaceId: string,
  asked: Call,
  entry: LedgerEntry & { asked: string },
): Promise<Answer> {
  if (entry.fingerprint !== entry.asked) {
    return refusal(
      asked,
      failure("MCP_OPERATION_CONFLICT", "", { operationId: asked.operationId, operation: entry.operation }),
    );
  }
  return entry.outcome === "running" ? join(parts, workspaceId, asked) : replayed(asked, entry);
}

function replayed(asked: Call, entry: LedgerEntry): Answer {
  const { answer, outcome, operationId } = entry;
  if (answer) return { ...answer, identity: { ...answer.identity, replayed: true } } as Answer;
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

function fingerprintOf(asked: Call, key: string): string {
  const args = Object.entries(asked.request).filter(
    ([name, value]) => value !== undefined && !NOT_ARGUMENTS.includes(name),
  );
  const text = JSON.stringify([asked.operation, args.sort(([a], [b]) => (a < b ? -1 : 1))]);
  return createHmac("sha256", key).update(text).digest("base64url");
}
