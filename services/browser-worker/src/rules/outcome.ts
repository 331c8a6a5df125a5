import { type Failure, HoldfastError } from "@holdfast/protocol";
import { addressOf } from "../core/urls.js";
import { DENIAL_SETTLE_MS, DENIED_END_MS } from "../limits.js";
import type { PageContext } from "../operations/context.js";
import type { Tab } from "../tabs/tab.js";
import { within } from "../within.js";
import type { Beforehand } from "../work/meanwhile.js";
import type { Bounds } from "../work/perform.js";
import type { Run } from "../work/run.js";
import { checkRules, denied } from "./address.js";

/** An address that is asked for by name is denied before anything is loaded. @throws HoldfastError `MCP_URL_DENIED` */
export function checkAsked({ project: { guard } }: Run, request: Readonly<Record<string, unknown>>): void {
  if (!guard.active || typeof request.url !== "string") return;
  const url = addressOf(request.url);
  if (url instanceof URL) checkRules(guard, url);
}

/**
 * Ends an action whose page is sent to a denied address while it loads: Chromium then gives up what it was loading as well,
 * and never tells that the document is there.
 */
export function untilDenied<T>({ project }: Run, tab: Tab, act: (bounds: Bounds) => Promise<T>): typeof act {
  const { guard } = project;
  if (!guard.active) return act;
  return async ({ signal, timeoutMs }) => {
    const end = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const mark = guard.denials.mark;
    const stop = guard.waits.on(() => {
      const own = guard.denials.since(mark).find(({ kind, tabId }) => kind === "document" && tabId === tab.id);
      if (own) timer ??= setTimeout(() => end.abort(denied(own)), DENIED_END_MS);
    });
    try {
      return await act({ signal: AbortSignal.any([signal, end.signal]), timeoutMs });
    } finally {
      stop();
      clearTimeout(timer);
    }
  };
}

/** What an action set off is seen to be denied or shown before the action is answered. Without a rule nothing is waited for. */
export async function settleDenials({ project, work }: Run, { tab, page, signal }: PageContext): Promise<void> {
  const { guard } = project;
  if (!guard.active) return;
  const before = guard.denials.mark;
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const anyDenied = guard.waits.until(() => guard.denials.mark > before, until);
  const opened = project.arrivals.ownOf(work.operationId);
  const shown = opened ? opened.ready(until) : (await refreshes(page)) ? leftBy(tab, until) : Promise.resolve();
  await within(DENIAL_SETTLE_MS, Promise.race([anyDenied, shown]));
  over.abort();
  await Promise.allSettled([anyDenied, shown]);
}

/**
 * An operation whose own document was denied has failed, whatever else it did: the first such denial of its tab, or of a
 * window that is no tab yet. What was denied beside it (a frame, a picture) is told and fails nothing.
 * @param thrown what the operation failed with; undefined if it did not
 */
export function deniedOf({ project, work }: Run, before: Beforehand, tab: Tab | null, thrown: unknown): Failure | null {
  const since = project.guard.denials.since(before.denials);
  if (since.length === 0) return null;
  const opened = project.arrivals.since(before.arrivals).arrived.filter(({ cause }) => cause === work.operationId);
  const tabIds: (string | null | undefined)[] = [null, tab?.id, ...opened.map((arrival) => arrival.tab.id)];
  const own = since.find(({ kind, tabId }) => kind === "document" && tabIds.includes(tabId));
  // At the proxy only the host is known of https: where the load failed, that was it.
  const found = own ?? (thrown !== undefined && isLoadFailure(thrown) ? since[0] : undefined);
  return found ? denied(found).failure : null;
}

function isLoadFailure(thrown: unknown): boolean {
  return (
    thrown instanceof HoldfastError && thrown.failure.code === "MCP_PAGE_FAILED" && /net::ERR_/.test(thrown.message)
  );
}

/** Whether the page goes elsewhere by itself at once (a refresh of no delay). */
async function refreshes(page: PageContext["page"]): Promise<boolean> {
  const content = await page
    .evaluate(() => document.querySelector('meta[http-equiv="refresh" i]')?.getAttribute("content") ?? null)
    // A page that is on its way elsewhere has nothing to be read.
    .catch(() => null);
  return content !== null && /^\s*0*(\.\d*)?\s*[;,]/.test(content);
}

function leftBy(tab: Tab, signal: AbortSignal): Promise<void> {
  const url = tab.record.url;
  return tab.waits.until(() => tab.record.url !== url || tab.closed, signal);
}
