import { type attachOperations, type Handlers, HoldfastError } from "@holdfast/protocol";
import { adoptPage } from "../attached/adopt.js";
import type { TabsContext } from "./context.js";
import { listed } from "./tabs.js";

/** What hands a person's tabs over, and back. */
export const attachHandlers: Handlers<typeof attachOperations, TabsContext> = {
  project_person_tabs: async (_request, { project: { person } }) => ({
    attached: person !== null,
    tabs: [...((await person?.tabs()) ?? [])],
  }),
  project_adopt_tab: async ({ pageId, url, select }, context) => {
    const { project } = context;
    const tab = await adoptPage(project, project.person, { pageId, url });
    if (select) project.cursor = { profileId: tab.record.profileId, tabId: tab.id };
    return { tabs: listed(context), target: tab.target };
  },
  project_release_tab: async (_request, context) => {
    const { project, tab } = context;
    if (!tab?.record.adopted)
      throw new HoldfastError("MCP_BAD_ARGUMENTS", "That tab is not a person's: close it with browser_tabs close.");
    if (tab.live) await project.documents.remove(tab.live.page);
    await tab.close();
    return { tabs: listed(context), target: tab.target };
  },
};
