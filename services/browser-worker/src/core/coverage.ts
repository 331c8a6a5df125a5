import type { Completeness, RecordingGap } from "@holdfast/protocol";

/** Gaps that are named; more of them are one gap from the first to the last. */
export const GAPS_MAX = 100;

/** A document has the capture script: from its beginning, or since it was given it. */
export function documentSeen(before: Completeness, tabId: string): Completeness {
  const known = before.tabs.find((tab) => tab.tabId === tabId);
  const tabs = known
    ? before.tabs.map((tab) => (tab === known ? { tabId, documents: tab.documents + 1 } : tab))
    : [...before.tabs, { tabId, documents: 1 }];
  return { ...before, tabs, documents: before.documents + 1, injections: before.injections + 1 };
}

/** A tab is followed, whether or not it has a document yet. */
export function tabSeen(before: Completeness, tabId: string): Completeness {
  if (before.tabs.some((tab) => tab.tabId === tabId)) return before;
  return { ...before, tabs: [...before.tabs, { tabId, documents: 0 }] };
}

export function injectedAgain(before: Completeness): Completeness {
  return { ...before, reinjections: before.reinjections + 1 };
}

export function refused(before: Completeness): Completeness {
  return { ...before, refused: before.refused + 1, complete: false };
}

export function gapSeen(before: Completeness, gap: RecordingGap): Completeness {
  const last = before.gaps.at(-1);
  if (before.gaps.length < GAPS_MAX || !last) return { ...before, complete: false, gaps: [...before.gaps, gap] };
  const merged = { ...last, to: gap.to, note: "There were more gaps than are named." };
  return { ...before, complete: false, gaps: [...before.gaps.slice(0, -1), merged] };
}
