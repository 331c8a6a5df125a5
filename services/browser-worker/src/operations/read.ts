import {
  HoldfastError,
  type OperationName,
  type OperationNamed,
  type PageResult,
  type RequestOf,
} from "@holdfast/protocol";
import type { Locator } from "playwright";
import { drawn } from "../attached/quiet.js";
import { capped } from "../core/text.js";
import { SCREENSHOT_BYTES_MAX, SNAPSHOT_CHARS_MAX, VALUE_CHARS_MAX } from "../limits.js";
import { named, onElement, type PageContext, said } from "./context.js";
import { treeTold } from "./secrets.js";

type Request<N extends OperationName> = RequestOf<OperationNamed<N>>;

const NARROW = "Read a part with target, or fewer levels with depth.";

export async function snapshot(request: Request<"browser_snapshot">, context: PageContext): Promise<PageResult> {
  const { target, depth, boxes } = request;
  const bounds = { signal: context.signal, timeout: context.timeoutMs, mode: "ai" as const };
  const options = { ...bounds, ...(depth ? { depth } : {}), ...(boxes ? { boxes } : {}) };
  const whole = target
    ? await onElement(context, target, (element, { signal }) => element.ariaSnapshot({ ...options, signal }))
    : await context.page.ariaSnapshot(options);
  const tree = await treeTold(context.page, whole);
  if (!target && !depth) context.tab.lastSnapshot = tree;
  return treeResult("", tree);
}

export function treeResult(text: string, tree: string): PageResult {
  const { text: shown, truncated } = capped(tree, SNAPSHOT_CHARS_MAX, NARROW);
  return { text, snapshot: shown, snapshotChars: tree.length, truncated };
}

export async function takeScreenshot(
  request: Request<"browser_take_screenshot">,
  context: PageContext,
): Promise<PageResult> {
  const { type, scale, target, fullPage } = request;
  const options = { type, scale, signal: context.signal, timeout: context.timeoutMs };
  const take = (): Promise<Buffer> =>
    target
      ? onElement(context, target, (element, { signal }) => element.screenshot({ ...options, signal }))
      : context.page.screenshot({ ...options, fullPage: fullPage ?? false });
  const picture = await drawn(context.tab.page(), take);
  if (picture.length > SCREENSHOT_BYTES_MAX) {
    const told = `The picture has ${picture.length} bytes; ${SCREENSHOT_BYTES_MAX} are allowed. Take one of an element, or without fullPage.`;
    throw new HoldfastError("MCP_PAGE_FAILED", told, { bytes: picture.length, bytesMax: SCREENSHOT_BYTES_MAX });
  }
  const image = await context.artifacts.put(context.artifactName, `image/${type}`, picture);
  return { text: `A picture of ${named(request)}, ${picture.length} bytes.`, image };
}

/** The text is a function, or an expression: it is put into the page's own script, so that no policy of the page forbids it. */
export async function evaluate(request: Request<"browser_evaluate">, context: PageContext): Promise<PageResult> {
  const { target, function: text } = request;
  const value: unknown = target
    ? await onElement(context, target, (element, { timeout }) => evaluateOn(context, element, { text, timeout }))
    : await context.page.evaluate(
        `(async () => { const it = (${text}\n); return typeof it === "function" ? it() : it; })()`,
      );
  const json = value === undefined ? "undefined" : JSON.stringify(value);
  const told = capped(json, VALUE_CHARS_MAX, "Return less.");
  return { text: told.text, truncated: told.truncated, ...(told.truncated || value === undefined ? {} : { value }) };
}

async function evaluateOn(
  context: PageContext,
  element: Locator,
  { text, timeout }: { text: string; timeout: number },
): Promise<unknown> {
  const made = await context.page.evaluateHandle<(element: unknown) => unknown>(`(${text}\n)`);
  try {
    return await element.evaluate((node, it) => (typeof it === "function" ? it(node) : it), made, { timeout });
  } finally {
    await made.dispose();
  }
}

export async function waitFor(request: Request<"browser_wait_for">, context: PageContext): Promise<PageResult> {
  const { time, text, textGone } = request;
  if (time === undefined && text === undefined && textGone === undefined) {
    throw new HoldfastError("MCP_BAD_ARGUMENTS", "browser_wait_for: give time, text or textGone.");
  }
  const bounds = { signal: context.signal, timeout: context.timeoutMs };
  if (time !== undefined) await pause(time * 1_000, context.signal);
  if (textGone !== undefined)
    await context.page
      .getByText(textGone)
      .first()
      .waitFor({ ...bounds, state: "hidden" });
  if (text !== undefined)
    await context.page
      .getByText(text)
      .first()
      .waitFor({ ...bounds, state: "visible" });
  return said(
    `Waited for ${[time && `${time} s`, textGone && `"${textGone}" to go`, text && `"${text}"`].filter(Boolean).join(", ")}.`,
  );
}

/** The one wait for time there is: the caller asked for it. It ends at once with its signal. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
