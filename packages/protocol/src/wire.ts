import { z } from "zod";
import { answer } from "./identity.js";
import { loginCheck } from "./operations/project.js";
import { urlRules } from "./operations/rules.js";
import { pageScripts } from "./operations/scripts.js";
import { historyEntry, loginSeen } from "./saved.js";
import { newTabPolicy, operationOutcome } from "./states.js";

/** What goes from a caller to task-control, for anything that needs a page. */
export const call = z.object({
  operation: z.string(),
  operationId: z.string(),
  /** The caller chose the id itself, so there may be a stored outcome. */
  chosen: z.boolean(),
  request: z.record(z.string(), z.unknown()),
  caller: z.string(),
  /** It was asked before and not answered: the asker still waits, and wants to hear at once that it is on its way. */
  again: z.boolean().optional(),
  /** ms since the epoch; then the asker has asked again, or waits no longer. Whoever was stopped meanwhile must not do it. */
  expiresAt: z.int().optional(),
});
export type Call = z.infer<typeof call>;

/** Whether a call has come too late to be taken up. Clocks that differ by seconds make every call late: they have to be set. */
export function isLate({ expiresAt }: Call, now: number): boolean {
  return expiresAt !== undefined && expiresAt < now;
}

/** What is answered to a call that is asked again: it is queued or under way, and nobody need ask for it anew. */
export const PENDING = { pending: true } as const;

export function isPending(reply: unknown): boolean {
  return reply !== null && typeof reply === "object" && "pending" in reply && reply.pending === true;
}

/** What task-control hands to a worker: the tab is settled, nothing is left to look up. */
export const admitted = z.object({
  operation: z.string(),
  operationId: z.string(),
  request: z.record(z.string(), z.unknown()),
  workspaceId: z.string(),
  profileId: z.string(),
  /** The tab that was named; null for the cursor as it is when the operation begins. */
  tabId: z.string().nullable(),
  /** The project had no cursor then: where the worker has one in another profile, it is of the work before. */
  cursorless: z.boolean(),
  taskId: z.string().nullable(),
  newTab: newTabPolicy,
  /** The project's generation at admission: a stop raises it, and what is older is discarded. */
  generation: z.int(),
  fingerprint: z.string(),
  /** After this (ms since the epoch) a queued operation is no longer begun. */
  expiresAt: z.int(),
  /** Where the answer goes: the caller's own inbox. */
  replyTo: z.string(),
  /** Who looks at which tab, to show on lists of tabs: tab id to viewer ids. */
  viewedBy: z.record(z.string(), z.array(z.string())),
  /** Who asked, for the record. */
  caller: z.string().default(""),
});
export type Admitted = z.infer<typeof admitted>;

/**
 * An order from task-control to workers; always signed.
 * stop: end an execution. cancel: end one operation, its execution goes on. shutdown: everything ends.
 */
export const stopOrder = z.object({
  kind: z.enum(["stop", "cancel", "shutdown"]),
  workspaceId: z.string(),
  /** The execution, or the operation, to end; nothing else is cut. */
  subjectId: z.string(),
  nonce: z.string(),
  /** ms since the epoch; a later order is refused, so a copied one is worthless. */
  expiresAt: z.int(),
});
export type StopOrder = z.infer<typeof stopOrder>;

export const stopAnswer = z.object({
  workerId: z.string(),
  interrupted: z.object({ operationId: z.string(), outcome: operationOutcome }).nullable(),
});
export type StopAnswer = z.infer<typeof stopAnswer>;

/** What a worker tells task-control. It is answered once it is stored. */
export const report = z.discriminatedUnion("report", [
  z.object({
    report: z.literal("ended"),
    operationId: z.string(),
    operation: z.string(),
    taskId: z.string().nullable(),
    tabId: z.string().nullable(),
    outcome: operationOutcome,
    /** Where the operation took the cursor; absent if nowhere. */
    cursor: z.object({ profileId: z.string(), tabId: z.string() }).nullable().optional(),
    /** As the record keeps it. */
    told: historyEntry.optional(),
  }),
  /** It waited in the queue, or changed hands there: may it still be begun? */
  z.object({ report: z.literal("begin"), operationId: z.string() }),
  /** The cursor's tab closed, and it went back to where that came from. */
  z.object({ report: z.literal("cursor"), cursor: z.object({ profileId: z.string(), tabId: z.string() }).nullable() }),
  z.object({
    report: z.literal("restored"),
    savedAt: z.string(),
    items: z.array(z.unknown()),
    ageMs: z.int().optional(),
    encrypted: z.boolean().optional(),
    logins: z.array(loginSeen).optional(),
  }),
]);
export type Report = z.infer<typeof report>;

/** What a worker hears that asks whether it may begin: wait is for a verdict on the operation before it. */
export const mayBegin = z.enum(["go", "wait", "drop"]);
export type MayBegin = z.infer<typeof mayBegin>;

/** Whoever saw a worker's process end tells task-control, so that what it held is given up at once. */
export const workerGone = z.object({ workerId: z.string() });

/** What task-control asks of any worker: to take the lease of a project and to serve it. */
export const claim = z.object({
  workspaceId: z.string(),
  profiles: z.array(z.string()),
  /** How to see that a profile is logged in, by profile id. */
  loginChecks: z.record(z.string(), loginCheck).default({}),
  cursor: z.object({ profileId: z.string(), tabId: z.string() }).nullable(),
  /** Queued operations of an older generation were discarded by a stop. */
  generation: z.int(),
  /** After this (ms since the epoch) it says nothing any more: the project has gone on, perhaps with another worker. */
  expiresAt: z.int(),
});
export type Claim = z.infer<typeof claim>;

export const claimed = z.object({ workerId: z.string(), pid: z.int(), epoch: z.int() });
export type Claimed = z.infer<typeof claimed>;

/** The ledger's entry for one operation, keyed by project and operation id. */
export const ledgerEntry = z.object({
  operationId: z.string(),
  operation: z.string(),
  fingerprint: z.string(),
  taskId: z.string().nullable(),
  tabId: z.string().nullable(),
  epoch: z.int(),
  outcome: operationOutcome,
  at: z.string(),
  answer: answer.nullable(),
  /** Where it took the cursor; absent if nowhere. */
  cursor: z.object({ profileId: z.string(), tabId: z.string() }).nullable().optional(),
});
export type LedgerEntry = z.infer<typeof ledgerEntry>;

/** A worker's claim on a project: the revision with which it was taken is the epoch, and each renewal repeats it. */
export const lease = z.object({ workerId: z.string(), pid: z.int(), epoch: z.int().optional() });
export type Lease = z.infer<typeof lease>;

/** What a person set for a project, beside what task-control decides: its worker reads it when it takes the project. */
export const projectSettings = z.object({ urlRules, pageScripts });
export type ProjectSettings = z.infer<typeof projectSettings>;

/** What a worker says of itself, once a second. */
export const heartbeat = z.object({
  workerId: z.string(),
  pid: z.int(),
  state: z.enum(["starting", "running", "draining", "stopped", "failed"]),
  projects: z.int(),
  browser: z.string(),
  /** Saved profiles are encrypted: it was given a key. */
  stateEncrypted: z.boolean().default(false),
  /** The browser is a person's, and what had to be put right of what was known of its tabs; 0 in one of our own. */
  attached: z.boolean().default(false),
  tabRepairs: z.int().default(0),
});
export type Heartbeat = z.infer<typeof heartbeat>;

/** The tabs of a project, as their worker last stored them. */
export const tabRecord = z.object({
  tabId: z.string(),
  profileId: z.string(),
  url: z.string(),
  title: z.string(),
  state: z.enum(["loading", "ready", "sleeping", "crashed", "closed"]),
  openerTabId: z.string().nullable(),
  /** Chromium's id of its page, where that outlives the worker: in a browser that a person has started. */
  pageId: z.string().optional(),
  /** It is a person's, and goes back as it is. */
  adopted: z.boolean().optional(),
  scroll: z.object({ x: z.number(), y: z.number() }).optional(),
});
export type TabRecord = z.infer<typeof tabRecord>;
export const tabTable = z.object({ epoch: z.int(), tabs: z.array(tabRecord) });
export type TabTable = z.infer<typeof tabTable>;
