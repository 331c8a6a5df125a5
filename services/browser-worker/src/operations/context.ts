import type { Artifacts } from "@holdfast/bus";
import { HoldfastError, type PageResult } from "@holdfast/protocol";
import type { Locator, Page } from "playwright";
import { LOOK_FOR_REF_MS, PING_MS } from "../limits.js";
import type { Project } from "../project.js";
import type { Tab } from "../tabs/tab.js";
import { within } from "../within.js";
import type { Bounds } from "../work/perform.js";

/** What a page operation is handed: one tab, its page, and when to end. There is nothing wider to reach. */
export interface PageContext extends Bounds {
  readonly tab: Tab;
  readonly page: Page;
  readonly artifacts: Artifacts;
  /** A name for what this operation stores. */
  readonly artifactName: string;
}

/** What an operation on a project's tabs is handed. */
export interface TabsContext extends Bounds {
  readonly project: Project;
  readonly profileId: string;
  readonly tab: Tab | null;
  readonly viewedBy: Readonly<Record<string, readonly string[]>>;
}

/** A ref of a snapshot, also of one in a frame. Anything else is a selector. */
const REF = /^(f\d+)?e\d+$/;

export function locate(page: Page, target: string): Locator {
  return page.locator(REF.test(target) ? `aria-ref=${target}` : target);
}

/**
 * Acts on an element. A ref that the page does not have is told soon instead of being waited for:
 * refs are given by the page as it is, so none can still appear.
 * @throws HoldfastError `MCP_STALE_REF`
 */
export async function onElement<T>(
  context: PageContext,
  target: string,
  act: (element: Locator, bounds: ActBounds) => Promise<T>,
): Promise<T> {
  const element = locate(context.page, target);
  const stale = new AbortController();
  const signal = AbortSignal.any([context.signal, stale.signal]);
  const acting = act(element, { signal, timeout: context.timeoutMs });
  if (!REF.test(target)) return acting;
  let looking: Promise<void> | undefined;
  const look = (): Promise<void> => {
    looking ??= isMissing(element).then((gone) => {
      if (gone) stale.abort(staleRef(context, target));
    });
    looking.catch(() => undefined);
    return looking;
  };
  // What is there is mostly acted on before: then nobody need ask.
  const due = setTimeout(() => void look(), LOOK_FOR_REF_MS);
  return acting
    .catch(async (thrown: unknown) => {
      // What does not wait for an element fails before it is known that there is none.
      if (!context.signal.aborted) await within(PING_MS, look());
      throw stale.signal.aborted ? stale.signal.reason : thrown;
    })
    .finally(() => clearTimeout(due));
}

/** A ref of a frame, or of a document, that is gone is not looked for at all: Playwright says so in these words. */
function isMissing(element: Locator): Promise<boolean> {
  return element.count().then(
    (count) => count === 0,
    (thrown: unknown) => {
      if (thrown instanceof Error && thrown.message.includes("Invalid frame in aria-ref")) return true;
      throw thrown;
    },
  );
}

export interface ActBounds {
  readonly signal: AbortSignal;
  /** ms, as Playwright names it. */
  readonly timeout: number;
}

function staleRef(context: PageContext, target: string): HoldfastError {
  const told = `The page has no element ${target} any more: take a new snapshot.`;
  return new HoldfastError("MCP_STALE_REF", told, { target, tabId: context.tab.id, url: context.tab.record.url });
}

export function said(text: string): PageResult {
  return { text };
}

/** How a person would call the element: in the caller's words, else by its ref. */
export function named(request: { element?: string | undefined; target?: string | undefined }): string {
  return request.element ?? request.target ?? "the page";
}
