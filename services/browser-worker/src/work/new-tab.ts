import { FOLLOW_MS } from "../limits.js";
import { locate, type PageContext } from "../operations/context.js";
import type { Tab } from "../tabs/tab.js";
import { within } from "../within.js";
import type { Run } from "./run.js";

/**
 * The tab that an action on an element takes place in. By the policy `lazy` that is the tab which the last operation opened,
 * if the element is there and not in the tab that was meant. Asked once: nobody looks for an element from tab to tab.
 */
export async function actingTab(
  { project, work, stop, settled }: Run,
  tab: Tab,
  request: Readonly<Record<string, unknown>>,
): Promise<Tab> {
  if (work.newTab !== "lazy" || work.tabId !== null || typeof request.target !== "string") return tab;
  const opened = project.arrivals.ownOf(project.lastOperationId);
  if (!opened || !tab.live || (await locate(tab.live.page, request.target).count()) > 0) return tab;
  await within(FOLLOW_MS, opened.ready(stop));
  if (!opened.live || (await locate(opened.live.page, request.target).count()) === 0) return tab;
  settled(opened);
  project.cursor = { profileId: opened.record.profileId, tabId: opened.id };
  return opened;
}

/** The windows that the action opened are tabs when it is answered; by the policy `follow` the first of them is the cursor. */
export async function afterAction({ project, work }: Run, { tab, signal }: PageContext): Promise<void> {
  await tab.openings.settled(signal);
  if (work.newTab !== "follow") return;
  const opened = project.arrivals.ownOf(work.operationId);
  if (!opened) return;
  // A page that hangs can not be acted on yet: the cursor stays, and the answer shows the tab as loading.
  await within(FOLLOW_MS, opened.ready(signal));
  if (opened.record.state === "ready") project.cursor = { profileId: opened.record.profileId, tabId: opened.id };
}
