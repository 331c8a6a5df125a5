import { type Bucket, type Bus, type Delivery, ledgerKey, replyTo, request } from "@holdfast/bus";
import {
  type Admitted,
  type Answer,
  type Failure,
  failure,
  HoldfastError,
  type LedgerEntry,
  noIdentity,
  type OperationOutcome,
  type Report,
  wire,
} from "@holdfast/protocol";
import type { Logger } from "pino";
import { handlingOf } from "./core/lanes.js";
import { REPORT_RETRY_MS } from "./limits.js";
import { operate, type Run } from "./operate.js";
import type { Cursor, Project } from "./project.js";
import type { Running } from "./running.js";

export interface MutationParts {
  readonly bus: Bus;
  readonly log: Logger;
  readonly ledger: Bucket<LedgerEntry>;
  readonly artifacts: Run["artifacts"];
  /** Whether this worker still holds the project. */
  readonly serves: (project: Project) => boolean;
}

/** Runs one mutation of a project, once: the ledger says it was begun before anything is done. */
export async function mutate(parts: MutationParts, project: Project, { work }: Delivery): Promise<void> {
  const key = ledgerKey(work.workspaceId, work.operationId);
  const now = Date.now();
  const before = handlingOf(work, null, project, now);
  const begun = entryOf(project, work, before === "run" ? "running" : "stopped", null);
  const revision = await parts.ledger.create(key, begun);
  if (revision === null) return again(parts, project, work, key);
  if (before === "discard" || before === "cancel" || before === "expire") return notBegun(parts, work, before);
  if (handlingOf(work, null, project, now) === "run") return run(parts, project, work, revision);
  // A stop that came while the ledger was written found nothing under way, and counted this as discarded.
  await parts.ledger.update(key, entryOf(project, work, "stopped", null), revision);
  await notBegun(parts, work, "discard");
}

/** Until its end is told, a stop finds it here: else it would be taken for one that was never begun. */
async function run(parts: MutationParts, project: Project, work: Admitted, revision: number): Promise<void> {
  const running: Running = { work, abort: new AbortController(), tab: null };
  project.running = running;
  await carryOut(parts, project, running, revision).finally(() => {
    project.running = null;
  });
}

async function carryOut(parts: MutationParts, project: Project, running: Running, revision: number): Promise<void> {
  const { work } = running;
  const cursor = project.cursor;
  const answer = await operate({
    project,
    work,
    stop: running.abort.signal,
    artifacts: parts.artifacts,
    settled: (tab) => {
      running.tab = tab;
    },
  });
  // Another worker may have the project by now, and will call this operation unknown: nothing is claimed against it.
  if (!parts.serves(project)) return;
  const outcome = outcomeOf(answer);
  const key = ledgerKey(work.workspaceId, work.operationId);
  const tabId = answer.identity.target?.tabId ?? work.tabId;
  const moved = !same(cursor, project.cursor);
  const told = tellEnd(parts, project, work, { outcome, tabId, ...(moved ? { cursor: project.cursor } : {}) });
  await parts.ledger.update(key, { ...entryOf(project, work, outcome, answer), tabId }, revision);
  // With the ledger written nobody can be refused because of this operation, so the asker need not wait for the report
  // to be stored: unless it moved the cursor, which the asker's next request may be about.
  if (moved) await told;
  replyTo(parts.bus, work.replyTo, answer);
  await told;
}

/** It was handed out before. What was begun and not seen to end is unknown, and is not run again. */
async function again(parts: MutationParts, project: Project, work: Admitted, key: string): Promise<void> {
  const entry = await parts.ledger.get(key);
  if (handlingOf(work, entry?.value ?? null, project, Date.now()) !== "unknown" || !entry) return;
  const told = failure("MCP_OUTCOME_UNKNOWN", "", {
    operationId: work.operationId,
    operation: work.operation,
    tabId: entry.value.tabId,
  });
  const answer: Answer = { ok: false, failure: told, identity: noIdentity(work.operationId) };
  await parts.ledger.update(key, { ...entry.value, outcome: "unknown", answer }, entry.revision);
  await tellEnd(parts, project, work, { outcome: "unknown", tabId: entry.value.tabId });
  replyTo(parts.bus, work.replyTo, answer);
}

/** What came before it was begun: what its asker hears, and what task-control is told. */
const NOT_BEGUN = {
  // A stop has discarded it in the state already.
  discard: { failure: failure("MCP_STOPPED", "It was discarded by a stop; it was not begun."), outcome: null },
  cancel: { failure: failure("MCP_STOPPED", "It was cancelled; it was not begun."), outcome: "stopped" },
  expire: { failure: failure("MCP_DEADLINE", "It waited too long in the queue; it was not begun."), outcome: "refused" },
} as const;

async function notBegun(parts: MutationParts, work: Admitted, why: keyof typeof NOT_BEGUN): Promise<void> {
  const told = NOT_BEGUN[why];
  if (told.outcome) await report(parts, work.workspaceId, endOf(work, { outcome: told.outcome, tabId: work.tabId }));
  replyTo(parts.bus, work.replyTo, { ok: false, failure: told.failure, identity: noIdentity(work.operationId) });
}

interface End {
  readonly outcome: OperationOutcome;
  readonly tabId: string | null;
  readonly cursor?: Cursor | null;
}

/** The end is told until it is heard, for as long as the project is ours: else its queue would wait for it for ever. */
async function tellEnd(parts: MutationParts, project: Project, work: Admitted, end: End): Promise<void> {
  while (parts.serves(project)) {
    try {
      return await report(parts, work.workspaceId, endOf(work, end));
    } catch (thrown) {
      parts.log.warn({ operationId: work.operationId, err: thrown }, "an end was not heard; it is told again");
    }
    await new Promise((resolve) => setTimeout(resolve, REPORT_RETRY_MS));
  }
}

export async function report(parts: Pick<MutationParts, "bus">, workspaceId: string, body: Report): Promise<void> {
  const reply = (await request(parts.bus, wire.report(workspaceId), body)) as { ok?: unknown; failure?: Failure };
  if (reply.ok !== true)
    throw new HoldfastError("MCP_INTERNAL", `task-control did not take a report: ${reply.failure?.message}`);
}

function endOf({ operationId, operation, taskId }: Admitted, end: End): Report {
  return { report: "ended", operationId, operation, taskId, ...end };
}

function entryOf(project: Project, work: Admitted, outcome: OperationOutcome, answer: Answer | null): LedgerEntry {
  const { operationId, operation, fingerprint, taskId, tabId } = work;
  return {
    operationId,
    operation,
    fingerprint,
    taskId,
    tabId,
    epoch: project.epoch,
    outcome,
    at: new Date().toISOString(),
    answer,
  };
}

function outcomeOf(answer: Answer): OperationOutcome {
  if (answer.ok) return "done";
  return answer.failure.code === "MCP_STOPPED" ? "stopped" : "failed";
}

function same(a: Cursor | null, b: Cursor | null): boolean {
  return a?.tabId === b?.tabId && a?.profileId === b?.profileId;
}
