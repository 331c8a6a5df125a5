import { ofStep } from "./promise.js";

export const urlRules = ofStep(2, {
  "rules.challenge":
    "a test for people that a site shows instead of its page is no success, and the tab is there for a person",
  "rules.typed": "an address that is asked for by name and denied is MCP_URL_DENIED with the rule, and is not loaded",
  "rules.redirect": "a redirect to a denied address is MCP_URL_DENIED, and the page that was there stays",
  "rules.link": "a click on a link to a denied address is MCP_URL_DENIED, and the page that was there stays",
  "rules.form": "a form that goes to a denied address is MCP_URL_DENIED, and nothing is sent",
  "rules.window": "a window that a page opens at a denied address is MCP_URL_DENIED, and no tab is left of it",
  "rules.script": "a script that sends its page to a denied address is MCP_URL_DENIED",
  "rules.refresh": "a page that refreshes itself to a denied address is MCP_URL_DENIED",
  "rules.frame": "a frame at a denied address stays empty, and the answer names it",
  "rules.worker": "a worker's request to a denied address fails",
  "rules.socket": "a web socket to a denied address is not opened, of a page and of a worker",
  "rules.beside": "a picture and a script from a denied address are not loaded, and the page's own operation passes",
  "rules.allow": "with allowed addresses nothing else is loaded",
  "rules.path": "a rule about a path forbids that path, by redirect and in frames too, and nothing beside it",
  "rules.name": "a name that leads to a denied address is denied",
  "rules.other-project": "a project's rules hold for no other project",
  "rules.at-once": "new rules hold at once for the pages that are open, and the login and the tab stay",
  "rules.stack": "the rules of the stack hold for every project, whatever that allows",
  "rules.facts": "what was denied is told as a fact, without its query",
  "rules.search-engine": "with the preset search-engines a search is MCP_URL_DENIED, and a bare word is no address",
});

export const scripts = ofStep(2, {
  "scripts.every-document":
    "a project's script runs exactly once in every document: new tabs, frames, other origins, popups",
  "scripts.first": "a project's script runs before the page's own scripts",
  "scripts.open-pages": "a script that is set while pages are open runs once in them, without a reload",
  "scripts.styles": "a project's styles hold in every document, also where a page's policy forbids styles",
  "scripts.other-project": "a project's scripts run in no other project",
  "scripts.taken-away": "a script that is taken away runs in no new document",
});

export const newTabs = ofStep(2, {
  "new-tabs.told":
    "the answer of an action that opens a tab names it and its opener, in 50 of 50, however it is opened",
  "new-tabs.one-click": "an action that opens a tab is done once, and the next call reads the new tab by its id",
  "new-tabs.later": "a tab that a page opens by itself later is told as a fact, with its opener and without a cause",
  "new-tabs.three-steps": "a flow into a new tab and back works by tab ids",
  "new-tabs.hangs": "a new tab whose page hangs is listed as loading, and the call that opened it does not wait for it",
  "new-tabs.has-opener": "a tab that a page opened has its opener, and one that was asked for has none",
  "new-tabs.no-gesture-lost": "a window that is opened with a gesture is there when the call is answered",
  "new-tabs.self-closing":
    "when a followed popup closes itself the cursor is back on its opener, and what it wrote there is read",
  "new-tabs.back-to-opener": "closing a followed popup leads to its opener, though it has a neighbour",
  "new-tabs.opener-gone":
    "with the opener gone the cursor goes to the project's main tab, and with none it is MCP_TAB_GONE",
  "new-tabs.follow": "by the policy follow the first tab that an action opens is the cursor, once it can be acted on",
  "new-tabs.lazy-blocked": "by the policy lazy a page that answers nothing holds a call up no longer than its deadline",
  "new-tabs.lazy":
    "by the policy lazy an element that only the new tab has is acted on there, once, and the answer says so",
  "new-tabs.policy-levels": "a call's policy for new tabs counts before its task's, and a task's before its project's",
  "new-tabs.unclaimed": "popups that nobody caused, and those after the first, are unclaimed and never take the cursor",
  "new-tabs.isolated": "a popup that isolates itself from its opener is told with its opener all the same",
  "new-tabs.limit": "a project never has more tabs than its limit, and the refusal is typed",
  "new-tabs.closed-at-birth": "a page goes on answering, however many of its new windows are closed as they come",
});

export const attached = ofStep(2, {
  "attached.untouched":
    "a person's own tabs are listed and not touched: no event reaches them, and nothing comes to the front",
  "attached.logins": "the default profile is the person's own, with the logins; another profile is apart from it",
  "attached.adopt": "a person's tab is acted on once it is adopted, and is given back open, where it is, by release",
  "attached.adopt-at-once": "a person's tab can be adopted in the moment in which it is listed",
  "attached.recording":
    "in a person's browser only the project's tabs are recorded, also one that is adopted meanwhile",
  "attached.denied": "a person's tab at an address that the project may not load is not adopted",
  "attached.closing":
    "at project_close and at the end of the stack a person's tabs and browser stay, and ours are gone",
  "attached.popups": "a window that a project's tab opens is the project's, and one that a person opens is not",
  "attached.link-cut": "a debug link that is cut comes back to the same browser, with the same tab ids and logins",
  "attached.link-silent": "a debug link that falls silent is found within 10 s, and comes back likewise",
  "attached.told": "system_status tells which browser is a person's, and how many tabs had to be put right",
  "attached.one-worker": "a person's browser is served by one worker, and more are refused",
});
