import { HoldfastError } from "@holdfast/protocol";
import { LINK_ANSWER_MS } from "../limits.js";
import type { Project } from "../project.js";
import type { Tab } from "../tabs/tab.js";
import { within } from "../within.js";

/**
 * The browser is there again after its link was lost: tabs whose page is still there have it again, by the same id.
 * Where the page is gone, a tab of ours sleeps and wakes on use; one that was a person's is gone with it.
 */
export async function rebindTabs(project: Project): Promise<void> {
  for (const tab of project.open) await rebindTab(project, tab);
}

/** Whether the tab has a page again. */
export async function rebindTab(project: Project, tab: Tab): Promise<boolean> {
  const { pageId, profileId, url, adopted } = tab.record;
  if (tab.live || pageId === undefined) return tab.live !== null;
  const live = await answered(project.profiles.again(profileId, { pageId, url }));
  if (live) {
    tab.attach(live);
    tab.change({ url: live.page.url() });
    return true;
  }
  if (adopted) await tab.close();
  return false;
}

/** What is asked over a link that is dead is never answered: whoever waits for the tab must not wait for that. */
async function answered<T>(asking: Promise<T>): Promise<T> {
  if (await within(LINK_ANSWER_MS, asking)) return asking;
  asking.catch(() => undefined);
  throw new HoldfastError("MCP_NO_WORKER", "The browser does not answer; its link is sought again.");
}
