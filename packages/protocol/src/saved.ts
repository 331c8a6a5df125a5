import { z } from "zod";
import { token } from "./ids.js";

/** One saved state of a project, as it lies in the object store. */
export const savedEntry = z.object({
  name: z.string(),
  /** ISO 8601. */
  savedAt: z.string(),
  bytes: z.int(),
  /** Of the bytes as they lie there: half a write, or another one's, is seen before it is believed. */
  sha256: z.string(),
  encrypted: z.boolean(),
  /** Of a state that came from elsewhere: the ids that its tabs had there, and have here. */
  tabIds: z.record(z.string(), z.string()).optional(),
});
export type SavedEntry = z.infer<typeof savedEntry>;

/**
 * Which saved state stands. A state is written beside the others and then switched to, here, by compare-and-set:
 * a worker of an older epoch finds that somebody else wrote, and can switch nothing.
 */
export const statePointer = z.object({
  epoch: z.int(),
  /** The last that came from a verified session. */
  current: savedEntry.nullable(),
  /** The one before it, should the current one turn out to be unreadable. */
  previous: savedEntry.nullable(),
  /** The last of a session that could not be verified: it never takes the place of the current one. */
  aside: savedEntry.nullable(),
});
export type StatePointer = z.infer<typeof statePointer>;

/** What a look at the page that a profile's login check names has shown. */
export const loginSeen = z.object({
  profileId: z.string(),
  state: z.enum(["logged_in", "not_logged_in", "not_checked"]),
  reason: z.string(),
  /** When somebody looked, ISO 8601; null while nobody has. */
  at: z.string().nullable(),
});
export type LoginSeen = z.infer<typeof loginSeen>;

/** One operation as the record keeps it: whose it was, what was asked with secrets masked, and how it ended. */
export const historyRecord = z.object({
  /** Its place in the record; grows with time. */
  sequence: z.int(),
  /** When it ended, ISO 8601. */
  at: z.string(),
  operationId: z.string(),
  operation: z.string(),
  /** Who asked. */
  caller: z.string(),
  taskId: z.string().nullable(),
  profileId: z.string().nullable(),
  tabId: z.string().nullable(),
  url: z.string().nullable(),
  arguments: z.record(z.string(), z.unknown()),
  outcome: z.enum(["done", "failed", "refused", "stopped", "unknown"]),
  /** The failure's code; null when there was none. */
  code: z.string().nullable(),
  /** ms from its begin to its end; null if it was never begun, or its end was not seen. */
  durationMs: z.number().nullable(),
});
export type HistoryRecord = z.infer<typeof historyRecord>;

/** As it is stored; its sequence is the stream's. */
export const historyEntry = historyRecord.omit({ sequence: true });
export type HistoryEntry = z.infer<typeof historyEntry>;

/** The form of an exported project. */
export const EXPORT_FORMAT = "holdfast.project.v1";

/** A project that travels: what is needed to go on with it elsewhere. */
export const exportedProject = z.object({
  format: z.literal(EXPORT_FORMAT),
  workspaceId: token,
  exportedAt: z.string(),
  profiles: z.array(z.unknown()),
  newTab: z.unknown(),
  cursor: z.object({ profileId: z.string(), tabId: z.string() }).nullable(),
  tabs: z.array(z.unknown()),
  memory: z.record(z.string(), z.unknown()),
  /** What a person set for it, such as its rules on addresses. */
  settings: z.unknown().optional(),
  /** Storage, drafts and positions as they were saved, in base64; null if nothing was. */
  state: z.object({ savedAt: z.string(), encrypted: z.boolean(), data: z.string() }).nullable(),
});
export type ExportedProject = z.infer<typeof exportedProject>;
