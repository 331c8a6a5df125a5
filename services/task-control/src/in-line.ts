import { type Bus, queueLength } from "@holdfast/bus";
import type { Store } from "./store.js";

/**
 * Whether an operation stands in its project's queue behind another: then nothing can have come of it yet. Hundreds may be
 * asked about at one moment, when their askers' patience ends together: those of one project share one look.
 */
export type InLine = (workspaceId: string, operationId: string) => Promise<boolean>;

export function openInLine(bus: Bus, store: Pick<Store, "get">): InLine {
  const stateOf = shared(store.get);
  const lengthOf = shared((workspaceId) => queueLength(bus, workspaceId));
  return async (workspaceId, operationId) => {
    const { pending } = await stateOf(workspaceId);
    const place = pending.findIndex((op) => op.operationId === operationId);
    return place > 0 && (await lengthOf(workspaceId)) > 0;
  };
}

/** Who asks while somebody looks is told what he finds. */
function shared<T>(look: (workspaceId: string) => Promise<T>): typeof look {
  const looking = new Map<string, Promise<T>>();
  return (workspaceId) => {
    const found = looking.get(workspaceId) ?? look(workspaceId).finally(() => looking.delete(workspaceId));
    looking.set(workspaceId, found);
    return found;
  };
}
