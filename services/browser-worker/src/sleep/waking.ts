import { WAKE_MS } from "../limits.js";
import type { Project } from "../project.js";
import { checked } from "../rules/address.js";
import { type Draft, restorePage } from "../state/saved-page.js";
import type { Tab } from "../tabs/tab.js";

/**
 * Loads the address of a tab that has just been given a page, and puts back what loading it does not bring back.
 * @returns the drafts that the page of today does not take
 */
export async function loadAgain(project: Project, tab: Tab, signal?: AbortSignal): Promise<readonly Draft[]> {
  const { url } = tab.record;
  if (url === "about:blank") {
    tab.move("loaded");
    return [];
  }
  const { page } = tab.page();
  try {
    // It may come from an export that somebody has written.
    checked(url);
    await page.goto(url, { timeout: WAKE_MS, waitUntil: "domcontentloaded", ...(signal ? { signal } : {}) });
  } catch (thrown) {
    // It sleeps on at its address, and wakes when the site answers again.
    await tab.sleep();
    tab.change({ url });
    throw thrown;
  }
  const saved = project.savedPages.get(tab.id);
  // What was typed at another address does not belong here.
  return saved?.url === url ? restorePage(page, saved) : [];
}
