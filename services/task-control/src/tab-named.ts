import { HoldfastError } from "@holdfast/protocol";
import type { TabKnown } from "./core/inputs.js";
import { heldTab, type ProjectState } from "./core/state.js";
import type { Parts } from "./parts.js";

/**
 * The tab that a request names, by id or by its place in the list.
 * Whether it is the project's is looked up only where something else holds the project: elsewhere its worker knows best.
 * @throws HoldfastError `MCP_TAB_NOT_FOUND` for a place where there is none
 */
export async function tabNamed(
  parts: Pick<Parts, "tabs">,
  state: ProjectState,
  request: Readonly<Record<string, unknown>>,
): Promise<{ tabId: string | null; tabKnown: TabKnown }> {
  if (typeof request.index === "number" && request.tabId === undefined) return byIndex(parts, state, request.index);
  if (typeof request.tabId !== "string") return { tabId: null, tabKnown: "unchecked" };
  const held = heldTab(state);
  if (held === null || held === request.tabId) return { tabId: request.tabId, tabKnown: "unchecked" };
  const table = await parts.tabs.get(state.workspaceId);
  const known = table?.value.tabs.some((tab) => tab.tabId === request.tabId) ?? false;
  return { tabId: request.tabId, tabKnown: known ? "known" : "unknown" };
}

async function byIndex(
  parts: Pick<Parts, "tabs">,
  state: ProjectState,
  index: number,
): Promise<{ tabId: string; tabKnown: TabKnown }> {
  const table = await parts.tabs.get(state.workspaceId);
  const open = table?.value.tabs.filter((tab) => tab.state !== "closed") ?? [];
  const found = open[index];
  if (found) return { tabId: found.tabId, tabKnown: "known" };
  throw new HoldfastError("MCP_TAB_NOT_FOUND", `The project has ${open.length} tabs; there is none at ${index}.`, {
    index,
    tabs: open.length,
  });
}
