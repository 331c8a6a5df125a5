import { SAVE_PAGE_MS } from "../limits.js";
import type { Project } from "../project.js";
import { readPage } from "../state/saved-page.js";
import { storageOf } from "../state/saved-state.js";
import type { Tab } from "../tabs/tab.js";
import { within } from "../within.js";

/**
 * Contexts that were made when there was no rule are made anew behind the proxy: their storage, tabs, drafts and scroll
 * positions are kept, and each tab loads its page again when it is next used.
 */
export async function renewContexts(project: Project): Promise<void> {
  if (!project.guard.active) return;
  for (const profileId of project.profiles.unproxied) {
    const storage = await storageOf(project, profileId);
    if (storage) project.profiles.saved.set(profileId, storage);
    const awake = project.open.filter((tab) => tab.record.profileId === profileId && (tab.live || tab.arriving));
    await Promise.all(awake.map((tab) => layDown(project, tab)));
    await project.profiles.renew(profileId);
  }
}

async function layDown(project: Project, tab: Tab): Promise<void> {
  const page = tab.live?.page;
  if (page && !tab.dialog) {
    const { url } = tab.record;
    const reading = readPage(page).then((read) => project.savedPages.set(tab.id, { tabId: tab.id, url, ...read }));
    await within(SAVE_PAGE_MS, reading);
  }
  tab.arriving = false;
  await tab.sleep();
}
