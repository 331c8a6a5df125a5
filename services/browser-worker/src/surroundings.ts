import { tell } from "@holdfast/bus";
import { DEFAULT_PROFILE, type Fact, HoldfastError, type PersonTab } from "@holdfast/protocol";
import type { BrowserHost } from "./browser.js";
import type { Project, Surroundings } from "./project.js";
import { ownerIn } from "./rules/owner.js";
import { report } from "./work/reporting.js";
import type { WorkerParts } from "./worker-parts.js";

/** What a project is given of the worker: contexts, tab ids, and somebody to tell. */
export function surroundingsOf({ host, mintTab, tables, states, leases, bus, log }: WorkerParts): Surroundings {
  const onFault = (thrown: unknown): void => {
    // A page that went before anybody could look at it is no fault.
    if (!(thrown instanceof HoldfastError) || thrown.failure.code !== "MCP_TAB_GONE")
      log.warn({ err: thrown }, "something about a page was not seen to");
  };
  const told = (project: Project, fact: Fact): void => void tell(bus, project.workspaceId, fact).catch(onFault);
  return {
    newContext: (guard, profileId, storageState) =>
      host.attached && profileId === DEFAULT_PROFILE
        ? host.personContext()
        : host.ruling.context(guard, storageState ? { storageState } : {}, host),
    openPage: (made) => host.openPage(made),
    person: host.attached ? { tabs: () => personTabs(host) } : null,
    letGo: (guard) => host.ruling.letGo(guard),
    guard: (project) =>
      host.ruling.guard({
        ownerOf: ownerIn(project),
        tell: ({ url, rule, tabId }) => {
          const operationId = project.running?.work.operationId ?? null;
          told(project, { fact: "url.denied", url: withoutQuery(url), rule, tabId, operationId });
        },
      }),
    targets: host.targets,
    closeTarget: (targetId) => host.targets.close(targetId),
    endSilentBrowser: () => host.endIfSilent(),
    onFault,
    mintTab,
    save: (project, now) => {
      states.touch(project);
      return tables.save(project, now);
    },
    stored: (project) => states.touch(project),
    tabOpened: (project, tab, cause) => {
      project.recorder?.tabOpened(tab, cause);
      const { tabId, openerTabId, url, state } = tab.record;
      told(project, { fact: "tab.opened", tab: { tabId, openerTabId, url, state }, cause });
    },
    tabReady: (project, tab) => told(project, { fact: "tab.ready", tabId: tab.id, url: tab.record.url }),
    tabClosed: (project, tab) => {
      project.recorder?.tabClosed(tab);
      tables.save(project, true).catch(onFault);
      told(project, { fact: "tab.closed", tabId: tab.id, lastUrl: tab.record.url });
    },
    cursorMoved: (project) => {
      // A worker that was stopped for a while may hear of a page's end before it knows that the project is another's.
      if (leases.holds(project.workspaceId, project.epoch))
        report({ bus }, project.workspaceId, { report: "cursor", cursor: project.cursor }).catch(onFault);
    },
  };
}

async function personTabs({ targets, ruling }: BrowserHost): Promise<PersonTab[]> {
  const pages = (await targets.listPersons()).filter(({ targetId }) => !ruling.interceptor.isTaken(targetId));
  return pages.map(({ targetId, url, title }) => ({ pageId: targetId, url, title }));
}

/** A query may carry what a page wanted to smuggle out. */
function withoutQuery(address: string): string {
  return URL.canParse(address) ? `${new URL(address).origin}${new URL(address).pathname}` : address;
}
