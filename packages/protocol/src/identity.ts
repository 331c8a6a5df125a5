import { z } from "zod";
import { failureShape } from "./failure-shape.js";
import { tabState } from "./states.js";

/** The tab an answer is about. */
export const target = z.object({
  workspaceId: z.string(),
  profileId: z.string(),
  tabId: z.string(),
  url: z.string(),
  title: z.string(),
});
export type Target = z.infer<typeof target>;

export const newTab = z.object({
  tabId: z.string(),
  openerTabId: z.string().nullable(),
  url: z.string(),
  state: tabState,
  /** It was not caused by the operation, or not as its first: nobody's. */
  unclaimed: z.boolean().optional(),
});
export type NewTab = z.infer<typeof newTab>;

export const dialogSeen = z.object({
  tabId: z.string(),
  kind: z.enum(["alert", "confirm", "prompt", "beforeunload"]),
  message: z.string(),
  open: z.boolean(),
});
export type DialogSeen = z.infer<typeof dialogSeen>;

/** An address that was not loaded, and the rule that forbids it. */
export const urlDenied = z.object({
  url: z.string(),
  rule: z.string(),
  tabId: z.string().nullable(),
  code: z.literal("MCP_URL_DENIED"),
});
export type UrlDenied = z.infer<typeof urlDenied>;

/** What every answer carries beside its result: whose it is, and what happened meanwhile. */
export const identity = z.object({
  target: target.nullable(),
  operationId: z.string(),
  taskId: z.string().optional(),
  newTabs: z.array(newTab),
  closedTabs: z.array(z.string()),
  /** The cursor is at this tab now, by the policy for new tabs or because its tab closed. */
  movedTo: z.string().optional(),
  /** Addresses of windows that were closed at once, because the project has as many tabs as it may. */
  refusedTabs: z.array(z.object({ url: z.string(), code: z.literal("MCP_QUEUE_FULL") })).optional(),
  /** What was not loaded meanwhile, because of a rule: frames, pictures, what scripts asked for. */
  denied: z.array(urlDenied).optional(),
  dialogs: z.array(dialogSeen),
  downloads: z.array(z.object({ url: z.string(), fileName: z.string() })),
  replayed: z.boolean(),
});
export type Identity = z.infer<typeof identity>;

/** An answer as it travels: a result or a failure, never both, and always the identity. */
export const answer = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), result: z.unknown(), identity }),
  z.object({ ok: z.literal(false), failure: failureShape, identity }),
]);
export type Answer = z.infer<typeof answer>;

export function noIdentity(operationId: string): Identity {
  return { target: null, operationId, newTabs: [], closedTabs: [], dialogs: [], downloads: [], replayed: false };
}
