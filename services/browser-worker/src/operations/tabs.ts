import { type Handlers, HoldfastError, type TabListed, type tabOperations } from "@holdfast/protocol";
import { checked } from "../rules/address.js";
import type { Tab } from "../tabs/tab.js";
import type { TabsContext } from "./context.js";
import { load } from "./navigate.js";

/** What each operation on tabs does. Only `select`, and `new` unless it is told not to, move the cursor. */
export const tabHandlers: Handlers<typeof tabOperations, TabsContext> = {
  browser_tabs_list: (_request, context) => ({ tabs: listed(context), target: null }),
  browser_tabs_new: async ({ url, select }, context) => {
    const { project, profileId, signal, timeoutMs } = context;
    const address = url === undefined ? null : checked(url);
    const tab = await project.openTab(profileId, signal);
    if (select) project.cursor = { profileId, tabId: tab.id };
    if (address) {
      const { page } = tab.page();
      await load({ page, signal, timeoutMs }, address);
      tab.change({ url: page.url(), title: await page.title() });
    }
    return { tabs: listed(context), target: tab.target };
  },
  browser_tabs_select: async (_request, context) => {
    const { project, signal } = context;
    const tab = wanted(context);
    await project.wake(tab, { load: true, signal });
    project.cursor = { profileId: tab.record.profileId, tabId: tab.id };
    return { tabs: listed(context), target: tab.target };
  },
  browser_tabs_close: async (_request, context) => {
    const tab = wanted(context);
    await tab.close();
    return { tabs: listed(context), target: tab.target };
  },
};

/** Every tab of the project, as it is known without asking a page. */
export function listed({ project, viewedBy }: TabsContext): TabListed[] {
  return project.open.map(({ record }) => {
    const { tabId, profileId, url, title, state, openerTabId } = record;
    const cursor = project.cursor?.tabId === tabId;
    return { tabId, profileId, url, title, state, openerTabId, cursor, viewedBy: [...(viewedBy[tabId] ?? [])] };
  });
}

function wanted({ tab }: TabsContext): Tab {
  if (tab) return tab;
  throw new HoldfastError("MCP_BAD_ARGUMENTS", "browser_tabs: give tabId, or index.");
}
