import { z } from "zod";
import { target } from "../identity.js";
import { token } from "../ids.js";
import { operation } from "../operation.js";
import { tabState } from "../states.js";
import { subjects } from "../subjects.js";
import { CHANGE_FAILURES, NAVIGATION_TIMEOUT_MS, PAGE_FAILURES, pageFields, READ_TIMEOUT_MS } from "./common.js";

export const tabListed = z.object({
  tabId: z.string(),
  profileId: z.string(),
  url: z.string(),
  title: z.string(),
  state: tabState,
  openerTabId: z.string().nullable(),
  /** The project's work goes on here. */
  cursor: z.boolean(),
  /** The viewers that look at it. */
  viewedBy: z.array(z.string()),
});
export type TabListed = z.infer<typeof tabListed>;

export const tabsResult = z.object({
  tabs: z.array(tabListed),
  /** The tab that was acted on. */
  target: target.nullable(),
});

const changeTabs = {
  lane: "mutation",
  subject: subjects.mutation(),
  owner: "browser-worker",
  response: tabsResult,
  failures: CHANGE_FAILURES,
  answers: "state",
  timeoutMs: NAVIGATION_TIMEOUT_MS,
} as const;

const index = z.int().min(0).optional().describe("The tab's place in the list, for those used to it; ids never shift.");

export const tabOperations = [
  operation({
    name: "browser_tabs_list",
    tool: { name: "browser_tabs", action: "list" },
    lane: "query",
    subject: subjects.query("browser", "tabs_list"),
    owner: "browser-worker",
    sentence: "Lists the project's tabs.",
    request: z.strictObject({
      workspaceId: pageFields.workspaceId,
      taskId: pageFields.taskId,
      timeoutMs: pageFields.timeoutMs,
    }),
    response: tabsResult,
    failures: PAGE_FAILURES,
    answers: "state",
    timeoutMs: READ_TIMEOUT_MS,
    ofProject: true,
  }),
  operation({
    ...changeTabs,
    name: "browser_tabs_new",
    tool: { name: "browser_tabs", action: "new" },
    sentence: "Opens a tab and moves the cursor to it.",
    failures: [...CHANGE_FAILURES, "MCP_URL_DENIED"],
    opensTab: true,
    ofProject: true,
    request: z.strictObject({
      workspaceId: pageFields.workspaceId,
      profileId: pageFields.profileId,
      taskId: pageFields.taskId,
      operationId: pageFields.operationId,
      timeoutMs: pageFields.timeoutMs,
      url: z.string().min(1).optional().describe("Load this address."),
      select: z.boolean().default(true).describe("Move the cursor to it."),
    }),
  }),
  operation({
    ...changeTabs,
    name: "browser_tabs_select",
    tool: { name: "browser_tabs", action: "select" },
    sentence: "Moves the project's cursor to a tab, waking it if it sleeps; no view moves.",
    selectsTab: true,
    request: z.strictObject({ ...pageFields, tabId: token.optional().describe("The tab."), index }),
  }),
  operation({
    ...changeTabs,
    name: "browser_tabs_close",
    tool: { name: "browser_tabs", action: "close" },
    closesTab: true,
    sentence: "Closes a tab; the cursor goes back to the tab that opened it, never to a neighbour.",
    request: z.strictObject({ ...pageFields, index }),
  }),
] as const;
