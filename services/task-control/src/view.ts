import { call } from "@holdfast/bus";
import {
  type Handlers,
  HoldfastError,
  operationNamed,
  type ProjectCursor,
  type View,
  type viewOperations,
} from "@holdfast/protocol";
import { cursorOf } from "./core/decision.js";
import type { Parts } from "./parts.js";

/** The view is what a person looks at. Nothing here moves a cursor, but for the interactive path, which says so. */
export function viewHandlers(parts: Parts): Handlers<typeof viewOperations, unknown> {
  const { store, views } = parts;
  return {
    view_select: async ({ workspaceId, tabId, viewerId, interactive }) => {
      const state = await store.get(workspaceId);
      const shown = tabId ?? state.cursor?.tabId ?? null;
      if (shown !== null) await checkTab(parts, workspaceId, shown);
      if (interactive) await pointAt(parts, { viewerId, workspaceId, tabId: shown });
      const view = { viewerId, workspaceId, tabId: shown };
      await views.set(view);
      parts.effects.tell(workspaceId, { fact: "view.moved", viewerId, tabId: shown });
      return { view, cursor: cursorOf(await store.get(workspaceId)) };
    },
    view_status: async ({ viewerId }) => {
      const view = await views.get(viewerId);
      return { view, cursor: view ? await cursorAt(parts, view.workspaceId) : null };
    },
  };
}

async function cursorAt(parts: Parts, workspaceId: string): Promise<ProjectCursor | null> {
  const state = await parts.store.find(workspaceId);
  return state ? cursorOf(state) : null;
}

async function checkTab(parts: Parts, workspaceId: string, tabId: string): Promise<void> {
  const table = await parts.tabs.get(workspaceId);
  const tab = table?.value.tabs.find((known) => known.tabId === tabId);
  if (!tab) throw new HoldfastError("MCP_TAB_NOT_FOUND", `The project has no tab ${tabId}.`, { workspaceId, tabId });
  if (tab.state === "closed") throw new HoldfastError("MCP_TAB_GONE", "", { workspaceId, tabId, lastUrl: tab.url });
}

/** A person who looks at the project takes its cursor along: by the same way as any select, under the same rules. */
async function pointAt(parts: Parts, wanted: View): Promise<void> {
  const { viewerId, workspaceId, tabId } = wanted;
  const view = await parts.views.get(viewerId);
  if (view?.workspaceId !== workspaceId || tabId === null) {
    const told = `The viewer ${viewerId} does not look at ${workspaceId}: only a viewer of a project can take its cursor along.`;
    throw new HoldfastError("MCP_BAD_ARGUMENTS", told, { viewerId, view });
  }
  const answer = await call(
    parts.bus,
    operationNamed("browser_tabs_select"),
    { workspaceId, tabId },
    { caller: `viewer:${viewerId}` },
  );
  if (!answer.ok) throw new HoldfastError(answer.failure.code, answer.failure.message, { ...answer.failure.details });
}
