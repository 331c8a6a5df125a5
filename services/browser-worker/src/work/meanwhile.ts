import { type Identity, noIdentity } from "@holdfast/protocol";
import type { Project } from "../project.js";
import { deniedTold } from "../rules/denials.js";
import { newTabsOf } from "../tabs/arrivals.js";
import type { Tab } from "../tabs/tab.js";
import type { Run } from "./run.js";

/** How a project stood before an operation. */
export interface Beforehand {
  readonly open: ReadonlySet<string>;
  readonly cursorTabId: string | undefined;
  readonly arrivals: number;
  readonly denials: number;
}

export function beforehand(project: Project): Beforehand {
  return {
    open: new Set(project.open.map((tab) => tab.id)),
    cursorTabId: project.cursor?.tabId,
    arrivals: project.arrivals.mark,
    denials: project.guard.denials.mark,
  };
}

/** Whose an answer is, and what happened meanwhile. */
export function identityOf({ project, work }: Run, before: Beforehand, tab: Tab | null, result: unknown): Identity {
  const shown = (result as { target?: Identity["target"] } | null)?.target ?? null;
  const open = new Set(project.open.map(({ id }) => id));
  const { arrived, refused } = project.arrivals.since(before.arrivals);
  const denials = project.guard.denials.since(before.denials);
  const came = new Set(arrived.map((arrival) => arrival.tab.id));
  const asked = project.open.filter(({ id }) => !before.open.has(id) && !came.has(id));
  const movedTo = project.cursor?.tabId === before.cursorTabId ? undefined : project.cursor?.tabId;
  return {
    ...noIdentity(work.operationId),
    target: tab?.target ?? shown,
    ...(work.taskId === null ? {} : { taskId: work.taskId }),
    newTabs: [
      ...asked.map(({ record: { tabId, openerTabId, url, state } }) => ({ tabId, openerTabId, url, state })),
      ...newTabsOf(arrived, work.operationId),
    ],
    closedTabs: [...before.open].filter((id) => !open.has(id)),
    ...(denials.length === 0 ? {} : { denied: deniedTold(denials) }),
    dialogs: tab?.dialog ? [tab.dialog.seen] : [],
    ...(movedTo === undefined ? {} : { movedTo }),
    ...(refused.length === 0 ? {} : { refusedTabs: refused.map((url) => ({ url, code: "MCP_QUEUE_FULL" as const })) }),
  };
}
