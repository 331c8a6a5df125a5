import { z } from "zod";

/** How an element can be found again. Of several, the first that finds exactly one element is the one. */
export const locator = z.discriminatedUnion("by", [
  z.strictObject({ by: z.literal("testId"), value: z.string().max(500) }),
  z.strictObject({ by: z.literal("role"), role: z.string().max(100), name: z.string().max(500) }),
  z.strictObject({ by: z.literal("label"), value: z.string().max(500) }),
  z.strictObject({ by: z.literal("placeholder"), value: z.string().max(500) }),
  z.strictObject({ by: z.literal("text"), value: z.string().max(500) }),
  z.strictObject({ by: z.literal("css"), value: z.string().max(2_000) }),
]);
export type ElementLocator = z.infer<typeof locator>;

/** An element as it was when somebody acted on it: enough to say whether another is the same. */
export const elementSeen = z.strictObject({
  tag: z.string().max(100),
  role: z.string().max(100),
  name: z.string().max(500),
  text: z.string().max(200),
  type: z.string().max(100).optional(),
  id: z.string().max(500).optional(),
  href: z.string().max(2_000).optional(),
});
export type ElementSeen = z.infer<typeof elementSeen>;

/** One frame on the way down from the page. Its name tells it apart; else its address, else its place. */
export const frameStep = z.strictObject({
  name: z.string().max(500),
  url: z.string().max(4_000),
  index: z.int().min(0).max(10_000),
});
export type FrameStep = z.infer<typeof frameStep>;

/** How many locators one element has at the most. */
export const LOCATORS_MAX = 10;
/** How deep a frame may lie. */
export const FRAMES_DEEP_MAX = 20;

/** An element to act on: where it is, and how it is found, best first. */
export const elementTarget = z.strictObject({
  /** From the page down to the frame; empty for the page itself. */
  frame: z.array(frameStep).max(FRAMES_DEEP_MAX).default([]),
  locators: z.array(locator).min(1).max(LOCATORS_MAX),
  element: elementSeen.optional(),
});
export type ElementTarget = z.infer<typeof elementTarget>;

/** What was typed, or the name of the secret that was: a secret itself is never recorded. */
export const typedValue = z.union([z.strictObject({ text: z.string() }), z.strictObject({ secret: z.string() })]);
export type TypedValue = z.infer<typeof typedValue>;

export const mouseButton = z.enum(["left", "right", "middle"]);
export const modifier = z.enum(["Alt", "Control", "Meta", "Shift"]);
const point = z.strictObject({ x: z.number(), y: z.number() });

/**
 * What was done. Of a navigation `how` tells who began it: `asked` an address bar or a tool, `page` a link, a form or a script,
 * `history` back or forward, `reload`.
 */
export const recordedAction = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("navigate"), url: z.string(), how: z.enum(["asked", "page", "history", "reload"]) }),
  z.strictObject({ do: z.literal("tab_opened"), url: z.string(), openerTabId: z.string().nullable() }),
  z.strictObject({ do: z.literal("tab_switched"), from: z.string() }),
  z.strictObject({ do: z.literal("tab_closed"), url: z.string() }),
  z.strictObject({
    do: z.literal("dialog"),
    kind: z.string(),
    message: z.string(),
    accepted: z.boolean(),
    promptText: z.string().optional(),
  }),
  z.strictObject({
    do: z.literal("click"),
    target: elementTarget,
    double: z.boolean(),
    button: mouseButton,
    modifiers: z.array(modifier),
  }),
  z.strictObject({ do: z.literal("fill"), target: elementTarget, value: typedValue }),
  z.strictObject({ do: z.literal("select"), target: elementTarget, values: z.array(z.string()) }),
  z.strictObject({ do: z.literal("check"), target: elementTarget, checked: z.boolean() }),
  z.strictObject({ do: z.literal("upload"), target: elementTarget, files: z.array(z.string()) }),
  z.strictObject({ do: z.literal("key"), target: elementTarget, key: z.string() }),
  z.strictObject({
    do: z.literal("drag"),
    target: elementTarget,
    to: elementTarget,
    /** Where in the elements it began and ended, in CSS pixels from their corner. */
    from: point,
    at: point,
  }),
]);
export type RecordedAction = z.infer<typeof recordedAction>;

export const recordedStep = z.object({
  /** ISO 8601. */
  at: z.string(),
  tabId: z.string(),
  /** The operation that did it; null for a person, or the page itself. */
  cause: z.string().nullable(),
  action: recordedAction,
});
export type RecordedStep = z.infer<typeof recordedStep>;

/** Time that the recording did not see. */
export const recordingGap = z.object({
  from: z.string(),
  to: z.string(),
  /** Null: all tabs. */
  tabId: z.string().nullable(),
  why: z.enum(["tab_crashed", "worker_lost", "browser_lost", "project_closed", "not_injected", "limit", "too_large"]),
  note: z.string(),
});
export type RecordingGap = z.infer<typeof recordingGap>;

/** What a recording covers, so that one that lost something says so. */
export const completeness = z.object({
  /** Nothing is known to be missing. */
  complete: z.boolean(),
  tabs: z.array(z.object({ tabId: z.string(), documents: z.int() })),
  documents: z.int(),
  injections: z.int(),
  /** Times that a document had to be given the capture script again. */
  reinjections: z.int(),
  /** What came was of another form than the capture script sends, and was left out. */
  refused: z.int(),
  gaps: z.array(recordingGap),
});
export type Completeness = z.infer<typeof completeness>;

export const recordingHeader = z.object({
  recordingId: z.string(),
  workspaceId: z.string(),
  name: z.string(),
  state: z.enum(["recording", "stopped"]),
  since: z.string(),
  stoppedAt: z.string().nullable(),
  /** The tabs that were there when it began. */
  begunAt: z.array(z.object({ tabId: z.string(), url: z.string(), openerTabId: z.string().nullable() })),
  cursorTabId: z.string().nullable(),
  steps: z.int(),
  /** Until when it is known to have seen everything; ISO 8601. */
  seenAt: z.string(),
  /** Since when the project is closed while the recording goes on; null while it is open. */
  pausedAt: z.string().nullable(),
  completeness,
});
export type RecordingHeader = z.infer<typeof recordingHeader>;

export const NO_COVERAGE: Completeness = {
  complete: true,
  tabs: [],
  documents: 0,
  injections: 0,
  reinjections: 0,
  refused: 0,
  gaps: [],
};
