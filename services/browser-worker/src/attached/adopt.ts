import { DEFAULT_PROFILE, HoldfastError, type PersonTab } from "@holdfast/protocol";
import type { Project } from "../project.js";
import { checked, checkRules } from "../rules/address.js";
import type { Tab } from "../tabs/tab.js";

/** What a project may know of a person's browser. */
export interface Person {
  /** The tabs that no project has. */
  readonly tabs: () => Promise<readonly PersonTab[]>;
}

export interface Wanted {
  readonly pageId?: string | undefined;
  readonly url?: string | undefined;
}

/**
 * Makes a tab of the project of a person's page, as it is.
 * @throws HoldfastError `MCP_TAB_NOT_FOUND`, `MCP_BAD_ARGUMENTS`, `MCP_QUEUE_FULL`, `MCP_URL_DENIED`
 */
export async function adoptPage(project: Project, person: Person | null, wanted: Wanted): Promise<Tab> {
  if (!person) {
    const told = "The browser is Holdfast's own, and no person has tabs in it: start with --browser cdp:URL.";
    throw new HoldfastError("MCP_TAB_NOT_FOUND", told);
  }
  const page = chosen(await person.tabs(), wanted);
  const { pageId, url, title } = page;
  // It is there already: no request of it is seen, by which it could be denied.
  checkRules(project.guard, checked(url));
  const live = await project.profiles.again(DEFAULT_PROFILE, page);
  if (!live) throw new HoldfastError("MCP_TAB_NOT_FOUND", "That tab has gone.", { ...page });
  const tab = await project.take({
    profileId: DEFAULT_PROFILE,
    url,
    title,
    state: "loading",
    openerTabId: null,
    pageId,
    adopted: true,
  });
  tab.attach(live);
  await project.recorder?.covers(tab);
  return tab;
}

function chosen(tabs: readonly PersonTab[], { pageId, url }: Wanted): PersonTab {
  if ((pageId === undefined) === (url === undefined))
    throw new HoldfastError("MCP_BAD_ARGUMENTS", "project_adopt_tab: give pageId or url.");
  const found = tabs.filter((tab) => (pageId === undefined ? tab.url === url : tab.pageId === pageId));
  const near = found.length > 0 || url === undefined ? found : tabs.filter((tab) => tab.url.startsWith(url));
  const [one] = near;
  if (one && near.length === 1) return one;
  const told = `The person has ${near.length} such tabs: see project_person_tabs.`;
  throw new HoldfastError("MCP_TAB_NOT_FOUND", told, { pageId: pageId ?? null, url: url ?? null, tabs: near.length });
}
