import { z } from "zod";
import { operation } from "../operation.js";
import { subjects } from "../subjects.js";
import { CHANGE_FAILURES, NAVIGATION_TIMEOUT_MS, PAGE_FAILURES, pageFields, READ_TIMEOUT_MS } from "./common.js";
import { tabsResult } from "./tabs.js";

/** A tab of a person's browser that no project has. */
export const personTab = z.object({
  /** Chromium's id of the page, for as long as it is there. */
  pageId: z.string(),
  url: z.string(),
  title: z.string(),
});
export type PersonTab = z.infer<typeof personTab>;

const change = {
  lane: "mutation",
  subject: subjects.mutation(),
  owner: "browser-worker",
  response: tabsResult,
  failures: CHANGE_FAILURES,
  answers: "state",
  timeoutMs: NAVIGATION_TIMEOUT_MS,
} as const;

const { workspaceId, taskId, operationId, timeoutMs } = pageFields;

export const attachOperations = [
  operation({
    name: "project_person_tabs",
    lane: "query",
    subject: subjects.query("project", "person_tabs"),
    owner: "browser-worker",
    sentence:
      "Lists the tabs that a person has open in a browser that Holdfast is attached to; none is touched until it is adopted.",
    request: z.strictObject({ workspaceId, taskId, timeoutMs }),
    response: z.object({
      /** False: the browser is Holdfast's own, and no person has tabs in it. */
      attached: z.boolean(),
      tabs: z.array(personTab),
    }),
    failures: PAGE_FAILURES,
    answers: "state",
    timeoutMs: READ_TIMEOUT_MS,
    ofProject: true,
  }),
  operation({
    ...change,
    name: "project_adopt_tab",
    failures: [...CHANGE_FAILURES, "MCP_URL_DENIED"],
    sentence:
      "Hands a person's tab, as it is, to the project: only when that person says so. project_release_tab gives it back.",
    ofProject: true,
    request: z.strictObject({
      workspaceId,
      taskId,
      operationId,
      timeoutMs,
      pageId: z.string().min(1).optional().describe("The page, as project_person_tabs tells it."),
      url: z.string().min(1).optional().describe("Or its address, or how that begins, where one tab alone has it."),
      select: z.boolean().default(true).describe("Move the cursor to it."),
    }),
  }),
  operation({
    ...change,
    name: "project_release_tab",
    sentence: "Gives an adopted tab back to the person, open and where it is; its id is not used again.",
    closesTab: true,
    despiteDialog: true,
    request: z.strictObject(pageFields),
  }),
] as const;
