import { type ElementLocator, type ElementTarget, HoldfastError } from "@holdfast/protocol";
import type { Frame, Locator, Page } from "playwright";
import { fits } from "../core/fits.js";
import { FOLLOW_MS, LOOK_AGAIN_MS } from "../limits.js";
import type { PageContext } from "../operations/context.js";
import { frameAt } from "../recording/frames.js";
import { within } from "../within.js";

/** A locator that was tried, and how many elements it found; `fits` tells of the only one. */
export interface Tried {
  readonly locator: ElementLocator;
  readonly found: number;
  readonly fits: boolean | null;
}

export interface Found {
  readonly element: Locator;
  readonly locator: ElementLocator;
}

/**
 * Finds the element by the first of its locators, best to worst, that finds exactly one. Waits for the page to change until one
 * does; what is found in two places is not guessed at.
 * @throws HoldfastError `MCP_PAGE_FAILED` with all that was tried
 */
export async function find(context: PageContext, target: ElementTarget): Promise<Found> {
  const deadline = performance.now() + context.timeoutMs * FIND_SHARE;
  for (;;) {
    context.signal.throwIfAborted();
    const frame = frameAt(context.page, target.frame);
    // A page that is not whole yet has elements that do nothing: its script, which comes last, is still to be read.
    if (frame)
      await within(Math.min(FOLLOW_MS, deadline - performance.now()), frame.waitForLoadState("domcontentloaded"));
    const tried: Tried[] = [];
    const found = frame ? await look(frame, target, tried) : null;
    if (found) return found;
    const left = deadline - performance.now();
    if (left <= 0) throw notFound(context, target, frame ? tried : null);
    await changed(context.page, frame, Math.min(left, LOOK_AGAIN_MS));
  }
}

/** What of a step's time goes into finding its element; the rest is for acting on it, and for telling. */
const FIND_SHARE = 0.6;

async function look(frame: Frame, target: ElementTarget, tried: Tried[]): Promise<Found | null> {
  for (const locator of target.locators) {
    const element = locate(frame, locator);
    // A document that goes while it is looked at has nothing to find; the next one is looked at then.
    const found = await element.count().catch(() => 0);
    const now = found === 1 ? await read(element) : null;
    const good = now ? fits(locator, target.element, now) : null;
    tried.push({ locator, found, fits: good });
    if (good) return { element, locator };
  }
  return null;
}

function read(element: Locator): Promise<{ tag: string; text: string } | null> {
  return element
    .evaluate(
      (node) => ({
        tag: node.localName,
        text: (node.textContent ?? "").slice(0, 1_000).replace(/\s+/g, " ").trim().slice(0, 200),
      }),
      undefined,
      { timeout: LOOK_AGAIN_MS },
    )
    .catch(() => null);
}

export function locate(frame: Frame, locator: ElementLocator): Locator {
  switch (locator.by) {
    case "testId":
      return frame.locator(`[data-testid=${JSON.stringify(locator.value)}]`);
    case "role":
      return frame.getByRole(locator.role as Parameters<Frame["getByRole"]>[0], { name: locator.name, exact: true });
    case "label":
      return frame.getByLabel(locator.value, { exact: true });
    case "placeholder":
      return frame.getByPlaceholder(locator.value, { exact: true });
    case "text":
      return frame.getByText(locator.value, { exact: true });
    case "css":
      return frame.locator(locator.value);
  }
}

/** Resolves when the document changes, or another one comes, or time is up: nothing is asked again before. */
async function changed(page: Page, frame: Frame | null, ms: number): Promise<void> {
  const watched = frame
    ?.evaluate(
      (limit) =>
        new Promise<void>((resolve) => {
          const observer = new MutationObserver(() => done());
          const timer = setTimeout(() => done(), limit);
          const done = (): void => {
            clearTimeout(timer);
            observer.disconnect();
            resolve();
          };
          observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
        }),
      ms,
    )
    // The document went: that is a change.
    .catch(() => undefined);
  let came: () => void = () => undefined;
  const other = new Promise<void>((resolve) => {
    came = resolve;
  });
  page.on("framenavigated", came);
  await within(ms, Promise.race(watched ? [watched, other] : [other]));
  page.off("framenavigated", came);
}

function notFound({ tab }: PageContext, target: ElementTarget, tried: readonly Tried[] | null): HoldfastError {
  const called = target.element?.name || target.element?.text || target.element?.tag || "the element";
  const many = tried?.some(({ found }) => found > 1) ? " Where there are several, none is guessed at." : "";
  const message = tried
    ? `No locator finds exactly one element for "${called}".${many}`
    : `The page has no such frame for "${called}".`;
  const details = { tabId: tab.id, url: tab.record.url, frame: target.frame, tried };
  return new HoldfastError("MCP_PAGE_FAILED", message, details);
}
