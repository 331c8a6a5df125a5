import { ofStep } from "./promise.js";

export const cursorAndView = ofStep(1, {
  "view.moves-no-cursor":
    "a task stays on its cursor while a viewer looks at another project, and then at another tab of its own",
  "view.two-values": "view_status and project_status each tell the view and the cursor, as two values",
  "view.each-viewer-has-one": "each viewer has one view, and moving it moves nobody else's",
  "view.no-foreground-change": "no tab comes to the foreground of Chromium by work, by new tabs or by views",
  "view.shown-reads":
    "20 reads of a browser that is shown raise no window, and what a person types elsewhere stays there",
  "view.shown-tabs": "tabs that are opened and selected in a browser that is shown take no person's keyboard",
  "view.shown-typing": "typing, keys, hovering and navigations in a browser that is shown take no person's keyboard",
  "view.interactive": "the interactive path moves the view and the cursor, for a viewer of that project",
  "view.interactive-elsewhere": "the interactive path moves no cursor for a viewer of another project",
  "cursor.select": "selecting a tab moves the project's cursor, and no view",
  "cursor.select-wakes": "selecting a tab that sleeps wakes it, by the same id and at the same address",
  "cursor.select-checks-owner": "selecting a tab that is not the project's is refused, and the cursor stays",
  "cursor.new-tab-is-told": "a click that opens a tab tells its id, its opener and its address, and the cursor stays",
  "cursor.returns-to-opener":
    "when the cursor's tab closes the cursor goes back to the tab that opened it, never to a neighbour",
  "cursor.ids-are-for-life": "a tab's id never shifts and is never used again",
});

export const receivers = ofStep(1, {
  "receivers.foreign-tab": "a tab of another project is MCP_TAB_NOT_FOUND, whoever asks and whatever is asked",
  "receivers.foreign-profile": "a profile of another project is MCP_PROFILE_NOT_FOUND",
  "receivers.projects-share-nothing": "two projects on one site have different cookies and different local storage",
  "receivers.profiles-share-nothing": "two profiles of one project are two logins on the same site",
  "receivers.one-connection":
    "one connection that works in two projects is answered from the project that each call names",
  "receivers.no-ambient-project": "no service keeps a current project, tab or page beside those that it is handed",
});

export const identity = ofStep(1, {
  "identity.other-tab-read":
    "while a task holds a project, a read of another tab is MCP_TARGET_TAB_BUSY with the cursor, which has not moved",
  "identity.other-tab-change":
    "while a task holds a project, a change of another tab is MCP_TARGET_TAB_BUSY with the cursor, which has not moved",
  "identity.cursor-tab":
    "while a task holds a project, asking for the cursor's tab and asking for none answer from exactly that tab",
  "identity.without-the-task":
    "while a task holds a project, a change without the task is MCP_PROJECT_BUSY and names the holder",
  "identity.idle": "in an idle project a call acts on exactly the tab that it names, and the cursor stays",
  "identity.on-every-answer": "every answer names its project, profile, tab, address, operation and task",
  "identity.mixed-calls": "8 clients on 8 projects make 2,000 mixed calls and get no answer with another page's mark",
  "identity.both-protocols":
    "a client of the older protocol and one of the current get the same answers from the same address",
});

export const badInput = ofStep(1, {
  "bad-input.tool": "a tool that there is not is an error at once, and the project works on",
  "bad-input.type":
    "an argument of the wrong type, and one that there is not, are MCP_BAD_ARGUMENTS naming it, and the project works on",
  "bad-input.ref": "a ref that the page has not got is MCP_STALE_REF within its time, and nothing is pressed",
  "bad-input.closed-tab": "a tab that was closed is MCP_TAB_GONE, and nothing is read or pressed in another",
  "bad-input.refused-connection": "a site that refuses the connection is MCP_PAGE_FAILED, and the project works on",
  "bad-input.address": "an address that is none is a typed failure, and the page stays",
  "bad-input.scheme": "javascript: and file: addresses are MCP_URL_DENIED, and nothing of them is run or read",
  "bad-input.large-page": "a page of 20 MB is read up to a limit that the answer names",
  "bad-input.dialog": "a click that opens a dialog says so at once, and the dialog can be answered at once",
  "bad-input.name": "a name that is no token of a subject is MCP_BAD_ARGUMENTS before it touches the bus",
  "bad-input.large-request": "a request that is too large is refused, and the connection's next call is answered",
  "bad-input.no-json": "what is no JSON, and what is no request, is refused with a status, and the gateway works on",
  "bad-input.stranger":
    "without the token, from a foreign origin or for a foreign host nothing is answered but a refusal",
});
