import { type Bus, openBucket } from "@holdfast/bus";
import { HoldfastError, type View, viewShape } from "@holdfast/protocol";
import { VIEWERS_MAX } from "./limits.js";

/** What each viewer looks at. Work never reads this. */
export interface Views {
  readonly get: (viewerId: string) => Promise<View | null>;
  readonly set: (view: View) => Promise<void>;
  /** Those who look at a project, as last heard. */
  readonly of: (workspaceId: string) => readonly View[];
  /** Tab id to viewer ids, for lists of tabs. */
  readonly byTab: (workspaceId: string) => Record<string, string[]>;
}

export async function openViews(bus: Bus): Promise<Views> {
  const bucket = await openBucket(bus, { name: "HF_VIEWS" }, viewShape);
  const known = new Map<string, View>();
  await bucket.watch((viewerId, entry) => {
    if (entry) known.set(viewerId, entry.value);
    else known.delete(viewerId);
  });
  const of = (workspaceId: string): View[] => [...known.values()].filter((view) => view.workspaceId === workspaceId);
  return {
    of,
    get: async (viewerId) => (await bucket.get(viewerId))?.value ?? null,
    set: async (view) => {
      if (!known.has(view.viewerId) && known.size >= VIEWERS_MAX) {
        throw new HoldfastError("MCP_QUEUE_FULL", `${VIEWERS_MAX} viewers are remembered already.`, {
          viewers: known.size,
        });
      }
      for (;;) {
        const before = await bucket.get(view.viewerId);
        const written = before
          ? await bucket.update(view.viewerId, view, before.revision)
          : await bucket.create(view.viewerId, view);
        if (written !== null) break;
      }
      known.set(view.viewerId, view);
    },
    byTab: (workspaceId) => {
      const byTab: Record<string, string[]> = {};
      for (const { tabId, viewerId } of of(workspaceId)) {
        if (tabId !== null) byTab[tabId] = [...(byTab[tabId] ?? []), viewerId];
      }
      return byTab;
    },
  };
}
