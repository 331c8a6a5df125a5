import {
  type ElementLocator,
  type ElementTarget,
  type FrameStep,
  LOCATORS_MAX,
  locator,
  modifier,
  mouseButton,
  type RecordedAction,
  typedValue,
} from "@holdfast/protocol";
import { z } from "zod";
import { ranked } from "../core/record.js";
import { RECORDED_TEXT_CHARS_MAX } from "../limits.js";

/** What the capture script tells. It comes out of a page, so nothing of it is believed before it was looked at. */
const found = z.object({
  locators: z.array(z.unknown()).max(50),
  element: z.record(z.string().max(20), z.string().max(4_000)),
});
const common = { at: z.number(), document: z.string().max(40), element: z.int().optional(), found: found.optional() };
const place = z.object({ x: z.number(), y: z.number() });

const pageTold = z.discriminatedUnion("kind", [
  z.object({ ...common, kind: z.literal("here"), how: z.enum(["new", "open"]), top: z.boolean() }),
  z.object({ ...common, kind: z.literal("again") }),
  z.object({ ...common, kind: z.literal("fault"), message: z.string().max(1_000) }),
  z.object({
    ...common,
    kind: z.literal("click"),
    double: z.boolean(),
    button: mouseButton,
    modifiers: z.array(modifier).max(4),
  }),
  z.object({ ...common, kind: z.literal("fill"), value: typedValue }),
  z.object({ ...common, kind: z.literal("check"), checked: z.boolean() }),
  z.object({ ...common, kind: z.literal("select"), values: z.array(z.string().max(1_000)).max(1_000) }),
  z.object({ ...common, kind: z.literal("upload"), files: z.array(z.string().max(500)).max(20) }),
  z.object({ ...common, kind: z.literal("key"), key: z.string().max(64) }),
  z.object({ ...common, kind: z.literal("drag"), to: found, from: place, at: z.number(), in: place.optional() }),
]);
export type PageTold = z.infer<typeof pageTold>;

/** Null for what is of no form that the capture script sends. */
export function readTold(text: unknown): PageTold | null {
  if (typeof text !== "string") return null;
  try {
    return pageTold.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Not even JSON: some page found the function, and played with it.
    return null;
  }
}

/** What was done; null for what is no step, `too_large` for what is not kept. */
export function actionOf(told: PageTold, frame: readonly FrameStep[]): RecordedAction | "too_large" | null {
  if (told.kind === "here" || told.kind === "again" || told.kind === "fault") return null;
  const target = told.found ? targetOf(told.found, frame) : null;
  if (!target) return null;
  if (told.kind === "fill") {
    const long = "text" in told.value && told.value.text.length > RECORDED_TEXT_CHARS_MAX;
    return long ? "too_large" : { do: "fill", target, value: told.value };
  }
  if (told.kind === "click") {
    const { double, button, modifiers } = told;
    return { do: "click", target, double, button, modifiers };
  }
  if (told.kind === "check") return { do: "check", target, checked: told.checked };
  if (told.kind === "select") return { do: "select", target, values: told.values };
  if (told.kind === "upload") return { do: "upload", target, files: told.files };
  if (told.kind === "key") return { do: "key", target, key: told.key };
  const to = targetOf(told.to, frame);
  return to && told.in ? { do: "drag", target, to, from: told.from, at: told.in } : null;
}

function targetOf(given: z.infer<typeof found>, frame: readonly FrameStep[]): ElementTarget | null {
  const known = given.locators.flatMap((one): ElementLocator | [] => locator.safeParse(one).data ?? []);
  const locators = ranked(known).slice(0, LOCATORS_MAX);
  if (locators.length === 0) return null;
  const { tag = "", role = "", name = "", text = "", type, id, href } = given.element;
  const optional = { ...(type ? { type } : {}), ...(id ? { id } : {}), ...(href ? { href } : {}) };
  return { frame: [...frame], locators, element: { tag, role, name, text: text.slice(0, 200), ...optional } };
}
