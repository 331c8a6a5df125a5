import { tell } from "@holdfast/bus";
import { type Fact, HoldfastError } from "@holdfast/protocol";
import { report } from "./mutation.js";
import type { Project, Surroundings } from "./project.js";
import type { WorkerParts } from "./worker.js";

/** What a project is given of the worker: contexts, tab ids, and somebody to tell. */
export function surroundingsOf({ host, mintTab, tables, bus, log }: WorkerParts): Surroundings {
  const onFault = (thrown: unknown): void => {
    // A page that went before anybody could look at it is no fault.
    if (!(thrown instanceof HoldfastError) || thrown.failure.code !== "MCP_TAB_GONE")
      log.warn({ err: thrown }, "something about a page was not seen to");
  };
  const told = (project: Project, fact: Fact): void => void tell(bus, project.workspaceId, fact).catch(onFault);
  return {
    newContext: (storageState) => host.context(storageState ? { storageState } : {}),
    targets: host.targets,
    closeTarget: (targetId) => host.targets.close(targetId),
    onFault,
    mintTab,
    save: (project, now) => tables.save(project, now),
    tabOpened: (project, tab, cause) => {
      const { tabId, openerTabId, url, state } = tab.record;
      told(project, { fact: "tab.opened", tab: { tabId, openerTabId, url, state }, cause });
    },
    tabReady: (project, tab) => told(project, { fact: "tab.ready", tabId: tab.id, url: tab.record.url }),
    tabClosed: (project, tab) => {
      tables.save(project, true).catch(onFault);
      told(project, { fact: "tab.closed", tabId: tab.id, lastUrl: tab.record.url });
    },
    cursorMoved: (project) => {
      report({ bus }, project.workspaceId, { report: "cursor", cursor: project.cursor }).catch(onFault);
    },
  };
}
