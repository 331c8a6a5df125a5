/** A page as the browser lists it. */
export interface PageThere {
  readonly targetId: string;
  readonly openerId: string | null;
  readonly url: string;
}

/** A tab that has a page, as we have it. */
export interface TabHere {
  readonly tabId: string;
  readonly targetId: string;
  readonly url: string;
}

/** What the browser's list and ours do not agree on. */
export interface Differences {
  /** A tab of ours opened it, and nobody was told. */
  readonly missed: readonly PageThere[];
  /** It has no page any more. */
  readonly gone: readonly string[];
  /** Its page is elsewhere. */
  readonly moved: readonly { readonly tabId: string; readonly url: string }[];
}

/** Pages that nobody of ours opened are a person's, and no difference. */
export function differences(pages: readonly PageThere[], tabs: readonly TabHere[]): Differences {
  const there = new Map(pages.map((page) => [page.targetId, page]));
  const here = new Set(tabs.map(({ targetId }) => targetId));
  const moved = tabs.flatMap(({ tabId, targetId, url }) => {
    const page = there.get(targetId);
    return page && page.url !== "" && page.url !== url ? [{ tabId, url: page.url }] : [];
  });
  return {
    missed: pages.filter(({ targetId, openerId }) => openerId !== null && here.has(openerId) && !here.has(targetId)),
    gone: tabs.filter(({ targetId }) => !there.has(targetId)).map(({ tabId }) => tabId),
    moved,
  };
}

/** What two looks in a row saw: what only one saw was on its way, and was told meanwhile. */
export function confirmed(before: Differences, now: Differences): Differences {
  return {
    missed: now.missed.filter(({ targetId }) => before.missed.some((old) => old.targetId === targetId)),
    gone: now.gone.filter((tabId) => before.gone.includes(tabId)),
    moved: now.moved.filter(({ tabId, url }) => before.moved.some((old) => old.tabId === tabId && old.url === url)),
  };
}

export function countOf({ missed, gone, moved }: Differences): number {
  return missed.length + gone.length + moved.length;
}
