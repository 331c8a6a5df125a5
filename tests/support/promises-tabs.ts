import { ofStep } from "./promise.js";

export const urlRules = ofStep(2, {
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
