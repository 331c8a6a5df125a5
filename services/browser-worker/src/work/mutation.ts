import { type Bucket, type Bus, type Delivery, HANDED_BACK, ledgerKey, type RunEnd, replyTo } from "@holdfast/bus";
import {
  type Admitted,
  type Answer,
  failure,
  type HistoryEntry,
  type LedgerEntry,
  noIdentity,
  type OperationOutcome,
  operationNamed,
} from "@holdfast/protocol";
import type { Logger } from "pino";
import { handlingOf } from "../core/lanes.js";
import { storedAnswer } from "../core/stored-answer.js";
import type { Cursor, Project } from "../project.js";
import { handlingAtBegin } from "./begin.js";
import { operate } from "./operate.js";
import { recordOf } from "./record.js";
import { tellEnd, untilDone } from "./reporting.js";
import type { Run } from "./run.js";
import type { Running } from "./running.js";

export interface MutationParts {
  readonly bus: Bus;
  readonly log: Logger;
  readonly ledger: Bucket<LedgerEntry>;
  readonly artifacts: Run["artifacts"];
  /** Whether this worker holds the project, at this very moment. */
  readonly serves: (project: Project) => boolean;
  /** Stores where the project's tabs are. */
  readonly keepTabs: (project: Project) => Promise<void>;
}

/**
 * Runs one mutation of a project, once: the ledger says it was begun before anything is done.
 * What is not ours to run any more is handed back as it came, so that nobody takes it for begun.
 */
export async function mutate(parts: MutationParts, project: Project, { work }: Delivery): Promise<RunEnd> {
  const key = ledgerKey(work.workspaceId, work.operationId);
  const handling = await handlingAtBegin(parts, project, work);
  if (handling === null || !parts.serves(project)) return HANDED_BACK;
  if (handling !== "run") return notBegun(parts, project, work, NOT_BEGUN[handling as keyof typeof NOT_BEGUN]);
  const revision = await parts.ledger.create(key, entryOf(project, work, "running", null));
  return revision === null ? again(parts, project, work) : run(parts, project, work, revision);
}

/** Until its end is told, a stop finds it here: else it would be taken for one that was never begun. */
async function run(parts: MutationParts, project: Project, work: Admitted, revision: number): Promise<RunEnd> {
  const key = ledgerKey(work.workspaceId, work.operationId);
  if (!parts.serves(project)) {
    // The worker was stopped for a while at this very point. Nothing was begun, and if nobody has called it unknown yet, nobody does.
    await parts.ledger.remove(key, revision);
    return HANDED_BACK;
  }
  if (handlingOf(work, null, project, Date.now()) !== "run") {
    // A stop came while the ledger was written, and found nothing under way.
    await parts.ledger.remove(key, revision);
    return notBegun(parts, project, work, NOT_BEGUN.discard);
  }
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const running: Running = { work, abort: new AbortController(), tab: null, ended, begunAt: Date.now(), doneAt: null };
  project.running = running;
  project.begun.add(work.operationId);
  return carryOut(parts, project, running, revision).finally(() => {
    project.running = null;
    project.ranBefore = running;
    end();
    // A popup may close between the end of an operation and the telling of it: where the cursor went back to is told too.
    const { toldCursor } = running;
    if (toldCursor !== undefined && parts.serves(project) && !same(toldCursor, project.cursor))
      project.moveCursor(project.cursor);
  });
}

async function carryOut(parts: MutationParts, project: Project, running: Running, revision: number): Promise<RunEnd> {
  const { work } = running;
  const before = project.cursor;
  const places = placesOf(project);
  const began = performance.now();
  const seen = await operate({
    project,
    work,
    stop: running.abort.signal,
    artifacts: parts.artifacts,
    settled: (tab) => {
      running.tab = tab;
    },
  });
  running.doneAt = Date.now();
  const answer = isUnseen(seen) ? unseen(seen, project, work) : seen;
  const end = {
    outcome: outcomeOf(answer),
    tabId: answer.identity.target?.tabId ?? work.tabId,
    ...(same(before, project.cursor) ? {} : { cursor: project.cursor }),
  };
  running.toldCursor = project.cursor;
  const kept = storedAnswer(operationNamed(work.operation), work.request, answer);
  // Where a tab was taken is known to the next worker too, once the asker has heard that it is there.
  if (placesOf(project) !== places) await untilDone(parts, project, work, () => parts.keepTabs(project));
  const stored = await store(parts, project, work, {
    revision,
    entry: { ...entryOf(project, work, end.outcome, kept), ...end },
  });
  // Another worker has the project by now, or will have it, and calls this operation unknown: nothing is claimed against it.
  if (!stored) return HANDED_BACK;
  const durationMs = end.outcome === "unknown" ? null : performance.now() - began;
  const tell = (): Promise<void> =>
    tellEnd(parts, project, work, { ...end, told: recordOf(work, { ...end, answer, durationMs }) });
  // With the ledger written nobody can be refused because of this operation, so the asker need not wait for the report
  // to be stored: unless it moved the cursor, which the asker's next request may be about, or is unknown, behind which that
  // request would wait for a verdict instead of being told that one is needed.
  const toldFirst = end.cursor !== undefined || end.outcome === "unknown";
  if (toldFirst) await tell();
  replyTo(parts.bus, work.replyTo, answer);
  // One turn of the microtasks lets the answer out before the report is even put together.
  await Promise.resolve();
  if (!toldFirst) await tell();
  return undefined;
}

interface Write {
  readonly revision: number;
  readonly entry: LedgerEntry;
}

/** Writes an end down, through a bus that is away for a while. False when it is somebody else's to say how it ended. */
async function store(
  parts: MutationParts,
  project: Project,
  work: Admitted,
  { revision, entry }: Write,
): Promise<boolean> {
  const key = ledgerKey(work.workspaceId, work.operationId);
  const stored = await untilDone(parts, project, work, async () => {
    if ((await parts.ledger.update(key, entry, revision)) !== null) return true;
    // It was written before, and only the answer was lost; or another epoch has written.
    const now = (await parts.ledger.get(key))?.value;
    return now?.epoch === entry.epoch && now.outcome === entry.outcome && now.at === entry.at;
  });
  return stored === true;
}

/** It was handed out before, and the ledger has it. What was begun and not seen to end is unknown, and is not run again. */
async function again(parts: MutationParts, project: Project, work: Admitted): Promise<RunEnd> {
  const { running } = project;
  if (running?.work.operationId === work.operationId) {
    await running.ended;
    return undefined;
  }
  const found = await parts.ledger.get(ledgerKey(work.workspaceId, work.operationId));
  // It was taken out at this moment, as one that was never begun.
  if (!found) return mutate(parts, project, { work, redelivered: true });
  const { value: entry, revision } = found;
  if (entry.outcome !== "running") return acknowledge(parts, project, work, entry);
  // It is our own: the answer to its begin was lost, and nothing was done after it.
  if (entry.epoch === project.epoch && !project.begun.has(work.operationId)) return run(parts, project, work, revision);
  project.askBefore = Date.now();
  const told = failure("MCP_OUTCOME_UNKNOWN", "", {
    operationId: work.operationId,
    operation: work.operation,
    tabId: entry.tabId,
  });
  const answer: Answer = { ok: false, failure: told, identity: noIdentity(work.operationId) };
  const unknown: LedgerEntry = { ...entry, outcome: "unknown", answer };
  if (!(await store(parts, project, work, { revision, entry: unknown }))) return HANDED_BACK;
  return acknowledge(parts, project, work, {
    ...unknown,
    told: recordOf(work, { ...unknown, outcome: "unknown", durationMs: null }),
  });
}

type Acknowledged = LedgerEntry & { readonly told?: HistoryEntry };

/** It has ended, and that is told again: whoever should have told it, or should have heard it, may have died. */
async function acknowledge(
  parts: MutationParts,
  project: Project,
  work: Admitted,
  entry: Acknowledged,
): Promise<RunEnd> {
  const { outcome, tabId, cursor, answer, told } = entry;
  await tellEnd(parts, project, work, {
    outcome,
    tabId,
    ...(cursor === undefined ? {} : { cursor }),
    ...(told ? { told } : {}),
  });
  if (!parts.serves(project)) return HANDED_BACK;
  if (answer) replyTo(parts.bus, work.replyTo, answer);
  return undefined;
}

/** What came before it was begun: what its asker hears, and what task-control is told. */
const NOT_BEGUN = {
  discard: { failure: failure("MCP_STOPPED", "It was discarded by a stop; it was not begun."), outcome: "stopped" },
  cancel: { failure: failure("MCP_STOPPED", "It was cancelled; it was not begun."), outcome: "stopped" },
  expire: {
    failure: failure("MCP_DEADLINE", "It waited too long in the queue; it was not begun."),
    outcome: "refused",
  },
} as const;

type NotBegun = (typeof NOT_BEGUN)[keyof typeof NOT_BEGUN];

/** The ledger says so first: from then on nobody can begin it, whoever still has it in hand. */
async function notBegun(parts: MutationParts, project: Project, work: Admitted, why: NotBegun): Promise<RunEnd> {
  const answer: Answer = { ok: false, failure: why.failure, identity: noIdentity(work.operationId) };
  const entry = entryOf(project, work, why.outcome, answer);
  const revision = await parts.ledger.create(ledgerKey(work.workspaceId, work.operationId), entry);
  if (revision === null) return again(parts, project, work);
  const told = recordOf(work, { outcome: why.outcome, tabId: work.tabId, answer, durationMs: null });
  return acknowledge(parts, project, work, { ...entry, told });
}

function entryOf(project: Project, work: Admitted, outcome: OperationOutcome, answer: Answer | null): LedgerEntry {
  const { operationId, operation, fingerprint, taskId, tabId } = work;
  const at = new Date().toISOString();
  return { operationId, operation, fingerprint, taskId, tabId, epoch: project.epoch, outcome, at, answer };
}

function placesOf({ open }: Project): string {
  return open.map(({ id, record }) => `${id} ${record.url}`).join("\n");
}

function outcomeOf(answer: Answer): "done" | "stopped" | "failed" | "unknown" {
  if (answer.ok) return "done";
  if (answer.failure.code === "MCP_OUTCOME_UNKNOWN") return "unknown";
  return answer.failure.code === "MCP_STOPPED" ? "stopped" : "failed";
}

/** Its browser ended with it under way, or the page answered nothing any more when its time was over. */
function isUnseen(answer: Answer): boolean {
  if (answer.ok) return false;
  const { code, details } = answer.failure;
  return (
    (code === "MCP_PAGE_CRASHED" && details.browserLost === true) ||
    (code === "MCP_DEADLINE" && details.unseen === true)
  );
}

function unseen({ identity }: Answer, project: Project, { operationId, operation, tabId }: Admitted): Answer {
  // What was queued behind it waits for the verdict.
  project.askBefore = Date.now();
  const told =
    "Its page, or the browser, answered nothing any more: how far it came is not known. Look at the real state.";
  const details = { operationId, operation, tabId: identity.target?.tabId ?? tabId };
  return { ok: false, failure: failure("MCP_OUTCOME_UNKNOWN", told, details), identity };
}

function same(a: Cursor | null, b: Cursor | null): boolean {
  return a?.tabId === b?.tabId && a?.profileId === b?.profileId;
}
