import { stripVTControlCharacters } from "node:util";
import { type Failure, failure, HoldfastError } from "@holdfast/protocol";
import { errors } from "playwright";
import { CUT_SETTLE_MS, MESSAGE_CHARS_MAX, PING_MS, TERMINATE_MS } from "../limits.js";
import type { Tab } from "../tabs/tab.js";
import { within } from "../within.js";
import type { Run } from "./run.js";

/** What an action is given: when to end, and for how long it may run. */
export interface Bounds {
  /** Aborts at a stop and at the deadline. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** A dialog opened, and the action waits for its answer: what it did so far is done. */
export const HELD_BY_DIALOG = Symbol("held by a dialog");

/**
 * Runs an action on a tab until it ends, a dialog holds it, the page goes, or a stop or the deadline cuts it.
 * When it returns after a cut, the work has ended in the page too.
 * @throws HoldfastError the reason that came first
 */
export async function perform<T>(
  tab: Tab,
  stop: AbortSignal,
  timeoutMs: number,
  act: (bounds: Bounds) => Promise<T>,
): Promise<T | typeof HELD_BY_DIALOG> {
  // A stop came before anything was begun: nothing is.
  if (stop.aborted) throw new HoldfastError(...parts(translated(tab, stop, stop.reason)));
  const { signal, lift } = limits(stop, timeoutMs);
  const work = act({ signal, timeoutMs });
  try {
    return await first(tab, signal, work);
  } catch (thrown) {
    const seen = signal.aborted ? await cut(tab, work) : true;
    await tab.fate();
    const { code, message, details } = translated(tab, signal, thrown);
    throw new HoldfastError(code, message, seen ? { ...details } : { ...details, unseen: true });
  } finally {
    lift();
  }
}

/**
 * Runs what is about a project's tabs rather than on one of them: a stop or the deadline ends it.
 * @throws HoldfastError the reason that came first
 */
export async function bounded<T>(
  { project, stop }: Pick<Run, "project" | "stop">,
  timeoutMs: number,
  act: (bounds: Bounds) => Promise<T>,
): Promise<T> {
  const { signal, lift } = limits(stop, timeoutMs);
  const work = act({ signal, timeoutMs });
  try {
    return await unlessAborted(signal, work);
  } catch (thrown) {
    if (signal.aborted) {
      await project.over(work);
      throw signal.reason;
    }
    if (thrown instanceof HoldfastError) throw thrown;
    const message = (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, MESSAGE_CHARS_MAX);
    throw new HoldfastError(codeOf(thrown), message, {}, { cause: thrown });
  } finally {
    lift();
  }
}

/**
 * Runs what only looks: after a stop or the deadline nobody waits for it any more, and nothing need be cut.
 * @throws HoldfastError the stop, or the deadline
 */
export async function looking<T>(
  stop: AbortSignal,
  timeoutMs: number,
  look: (bounds: Bounds) => Promise<T>,
): Promise<T> {
  const { signal, lift } = limits(stop, timeoutMs);
  return unlessAborted(signal, look({ signal, timeoutMs })).finally(lift);
}

function limits(stop: AbortSignal, timeoutMs: number): { signal: AbortSignal; lift: () => void } {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(late(timeoutMs)), timeoutMs);
  return { signal: AbortSignal.any([stop, deadline.signal]), lift: () => clearTimeout(timer) };
}

function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => reject(signal.reason);
    signal.addEventListener("abort", aborted);
    if (signal.aborted) aborted();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", aborted));
  });
}

/** The first of: the work's end, an abort, and what interrupts the tab. */
function first<T>(tab: Tab, signal: AbortSignal, work: Promise<T>): Promise<T | typeof HELD_BY_DIALOG> {
  return new Promise((resolve, reject) => {
    const interrupted = (): void => {
      if (tab.dialog) {
        tab.heldBack = work;
        settle(() => resolve(HELD_BY_DIALOG));
      } else if (tab.closed) settle(() => reject(tab.gone()));
      else if (tab.crashed || tab.lost) settle(() => reject(crashed(tab)));
    };
    const aborted = (): void => settle(() => reject(signal.reason));
    const stopListening = tab.waits.on(interrupted);
    const settle = (act: () => void): void => {
      stopListening();
      signal.removeEventListener("abort", aborted);
      act();
    };
    signal.addEventListener("abort", aborted);
    if (signal.aborted) aborted();
    work.then(
      (value) => settle(() => resolve(value)),
      (thrown: unknown) => settle(() => reject(thrown)),
    );
  });
}

/**
 * Ends in the page what was cut: first what Playwright waits for, then the page's loading and its script,
 * and, if the page answers to nothing, the page. The tab stays, asleep, and wakes on use.
 * @returns whether the work was seen to end; else nobody knows how far it came
 */
export async function cut(tab: Tab, work: Promise<unknown>): Promise<boolean> {
  const live = tab.live;
  if (!live) {
    // It waits for a page.
    await tab.over(work);
    return true;
  }
  // Script that a dialog holds back goes on as soon as the dialog is answered, whatever it was told before: only with its
  // page it ends for sure.
  if (tab.dialog) return tab.sleep().then(() => true);
  const ignore = (): undefined => undefined;
  live.cdp.send("Page.stopLoading").catch(ignore);
  const settled = await within(CUT_SETTLE_MS, work);
  const alive = await within(PING_MS, live.cdp.send("Runtime.evaluate", { expression: "1" }));
  if (settled && alive) return true;
  live.cdp.send("Runtime.terminateExecution").catch(ignore);
  const ended = await within(TERMINATE_MS, Promise.all([work, live.cdp.send("Runtime.evaluate", { expression: "1" })]));
  // Another cut may have let that page go, and the tab may have a new one by now.
  if (!ended && tab.live === live) await tab.sleep();
  return ended;
}

/** What was thrown, as the failure that came first: a stop, the deadline, the page's end, else what the page said. */
function translated(tab: Tab, signal: AbortSignal, thrown: unknown): Failure {
  if (signal.aborted && signal.reason instanceof HoldfastError) return signal.reason.failure;
  if (thrown instanceof HoldfastError) return thrown.failure;
  if (tab.closed) return tab.gone().failure;
  if (tab.crashed || tab.lost) return crashed(tab).failure;
  const details = { tabId: tab.id, url: tab.record.url };
  const { message, log } = saidBy(thrown);
  return failure(codeOf(thrown), message, log.length > 0 ? { ...details, log } : details);
}

function crashed(tab: Tab): HoldfastError {
  const told = tab.lost ? "The browser ended, and the page with it: the tab is asleep, and wakes on use." : "";
  return new HoldfastError("MCP_PAGE_CRASHED", told, { tabId: tab.id, url: tab.record.url, browserLost: tab.lost });
}

/** What the page or Playwright said, without the colours of a terminal; what was tried stands in the details. */
function saidBy(thrown: unknown): { message: string; log: readonly string[] } {
  const text = stripVTControlCharacters(thrown instanceof Error ? thrown.message : String(thrown));
  const [message = "", ...rest] = text.slice(0, MESSAGE_CHARS_MAX).split("\n");
  return { message, log: rest.map((line) => line.trim()).filter((line) => line !== "") };
}

function codeOf(thrown: unknown): "MCP_DEADLINE" | "MCP_PAGE_FAILED" {
  return thrown instanceof errors.TimeoutError ? "MCP_DEADLINE" : "MCP_PAGE_FAILED";
}

function parts({ code, message, details }: Failure): ConstructorParameters<typeof HoldfastError> {
  return [code, message, { ...details }];
}

function late(timeoutMs: number): HoldfastError {
  return new HoldfastError("MCP_DEADLINE", `The operation did not end within ${timeoutMs} ms.`, { timeoutMs });
}
