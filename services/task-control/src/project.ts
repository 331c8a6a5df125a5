import {
  DEFAULT_PROFILE,
  defaultProfile,
  type Handlers,
  HoldfastError,
  type Profile,
  type projectOperations,
} from "@holdfast/protocol";
import { cursorOf } from "./core/decision.js";
import { isBusy, newProject, type ProjectState } from "./core/state.js";
import type { Parts } from "./parts.js";
import { release } from "./release.js";
import { executionTold, granted, statusTold } from "./told.js";

export function projectHandlers(parts: Parts): Handlers<typeof projectOperations, unknown> {
  const { store, memory } = parts;
  return {
    project_open: async ({ workspaceId, profiles = [], newTab = null }) => {
      const found = await store.find(workspaceId);
      if (!found) await create(parts, workspaceId, profiles);
      if (!found?.open && (await parts.quitMark.verdict()) === "closing") throw new HoldfastError("MCP_CLOSING");
      const decision = granted(await store.apply(workspaceId, { input: "open", profiles, newTab }));
      parts.effects.publish(workspaceId, decision);
      return statusTold(parts, decision.next);
    },
    project_list: async () => {
      const states = await Promise.all((await store.list()).map((workspaceId) => store.find(workspaceId)));
      const open = states.filter((state): state is ProjectState => state?.open === true);
      return { projects: open.map(listed).sort((a, b) => (a.workspaceId < b.workspaceId ? -1 : 1)) };
    },
    project_status: async ({ workspaceId }) => {
      const state = await store.get(workspaceId);
      const behind = await store.catchUp(workspaceId, state);
      return statusTold(parts, behind ? await store.get(workspaceId) : state);
    },
    project_close: async ({ workspaceId }) => {
      const decision = granted(await store.apply(workspaceId, { input: "close" }));
      parts.effects.publish(workspaceId, decision);
      const { saved, reason } = await release(parts, workspaceId);
      return { workspaceId, state: "closed", saved, ...(reason === undefined ? {} : { reason }) };
    },
    project_memory_get: async ({ workspaceId, key }) => {
      await store.get(workspaceId);
      const notes = await memory.get(workspaceId);
      const kept =
        key === undefined ? notes : Object.fromEntries(Object.entries(notes).filter(([name]) => name === key));
      return { workspaceId, memory: kept };
    },
    project_memory_set: async ({ workspaceId, key, value }) => {
      await store.get(workspaceId);
      return { workspaceId, memory: await memory.set(workspaceId, key, value ?? null) };
    },
    project_memory_delete: async ({ workspaceId, key }) => {
      await store.get(workspaceId);
      return { workspaceId, memory: await memory.set(workspaceId, key, undefined) };
    },
  };
}

/**
 * A new project has the profile `default`, and a tab that sleeps: it costs nothing until it is used.
 * It is stored shut: opening it is the next step, and nothing begins in it before.
 */
async function create(parts: Parts, workspaceId: string, profiles: readonly Profile[]): Promise<void> {
  const named = profiles.some((profile) => profile.profileId === DEFAULT_PROFILE);
  const all = named ? profiles : [defaultProfile, ...profiles];
  const tab = {
    tabId: await parts.mintTab(),
    profileId: DEFAULT_PROFILE,
    url: "about:blank",
    title: "",
    state: "sleeping" as const,
    openerTabId: null,
  };
  // The tabs first: a project that is there always has them. Whoever comes second builds on the first one's tab.
  const made = (await parts.tabs.create(workspaceId, { epoch: 0, tabs: [tab] })) !== null;
  const { tabId, profileId } = made ? tab : ((await parts.tabs.get(workspaceId))?.value.tabs[0] ?? tab);
  await parts.store.create({ ...newProject(workspaceId, all, { tabId, profileId }), open: false });
}

function listed(state: ProjectState) {
  const { workspaceId, execution } = state;
  return {
    workspaceId,
    cursor: cursorOf(state),
    execution: execution ? executionTold(execution) : null,
    busy: isBusy(state),
  };
}
