import type { Project } from "../project.js";
import type { OwnerOf } from "./guard.js";

/** Whose a request is, as far as one project goes: by its tab, by the tab that opened the window, else by the context. */
export function ownerIn(project: Project): OwnerOf {
  return ({ targetId, contextId, openerId }) => {
    const tabAt = (id: string) => project.open.find((tab) => tab.targetId === id);
    const tab = tabAt(targetId);
    if (tab) return { tabId: tab.id };
    const ours = project.profiles.has(contextId) || (openerId !== null && tabAt(openerId) !== undefined);
    return ours ? null : undefined;
  };
}
