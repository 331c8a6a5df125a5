import { FOLLOW_MS } from "../limits.js";
import { locate, type PageContext } from "../operations/context.js";
import type { Tab } from "../tabs/tab.js";
import { within } from "../within.js";
import { looking } from "./perform.js";
import type { Run } from "./run.js";

/**
 * The tab that an action on an element takes place in. By the policy `lazy` that is the tab which the last operation opened,
 * if the element is there and not in the tab that was meant. Asked once: nobody looks for an element from tab to tab.
 */
export async function actingTab(
  run: Run,
  tab: Tab,
  { target }: Readonly<Record<string, unknown>>,
  timeoutMs: number,
): Promise<Tab> {
  const { project, work, settled } = run;
  const opened = project.arrivals.ownOf(project.lastOperationId);
  if (work.newTab !== "lazy" || work.tabId !== null || typeof target !== "string" || !opened || tab.dialog) return tab;
  // Either page may answer nothing, for as long as it likes.
  const isMoved = await looking(run.stop, timeoutMs, async ({ signal }) => {
    if (!tab.live || (await isIn(tab, target))) return false;
    await within(FOLLOW_MS, opened.ready(signal));
    return isIn(opened, target);
  });
  if (!isMoved) return tab;
  settled(opened);
  project.cursor = { profileId: opened.record.profileId, tabId: opened.id };
  return opened;
}

async function isIn({ live }: Tab, target: string): Promise<boolean> {
  return live !== null && (await locate(live.page, target).count()) > 0;
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
