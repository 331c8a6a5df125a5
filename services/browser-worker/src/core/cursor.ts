import type { TabRecord } from "@holdfast/protocol";

export interface TabOfProfile {
  readonly profileId: string;
  readonly tabId: string;
}

/**
 * Where the cursor goes when the tab it stands at closes: to the tab that opened it, or, with that gone too, to the project's
 * main tab (the oldest that nobody opened). Never to a neighbour. A tab that nobody opened leaves it nowhere to go: undefined.
 */
export function cursorAfterClose(closed: TabRecord, open: readonly TabRecord[]): TabOfProfile | undefined {
  if (closed.openerTabId === null) return undefined;
  const back = open.find((tab) => tab.tabId === closed.openerTabId) ?? open.find((tab) => tab.openerTabId === null);
  return back && { profileId: back.profileId, tabId: back.tabId };
}
