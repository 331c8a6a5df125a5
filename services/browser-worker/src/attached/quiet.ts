import type { BrowserContext, Page } from "playwright";
import { OPEN_PAGE_MS } from "../limits.js";
import type { Live } from "../tabs/tab.js";
import { within } from "../within.js";

/** Chromium's id of a page. */
export async function targetIdOf(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  const { targetInfo } = await session.send("Target.getTargetInfo");
  await session.detach();
  return targetInfo.targetId;
}

/**
 * Opens a page that does not come to the front, and finds it among those that come: Playwright's own way of opening one
 * takes the person's focus where windows are shown.
 */
export async function quietPage(context: BrowserContext, open: () => Promise<string>): Promise<Page> {
  let opened: (id: Promise<string>) => void = () => undefined;
  const id = new Promise<string>((resolve) => {
    opened = resolve;
  });
  const predicate = async (page: Page): Promise<boolean> => (await targetIdOf(page)) === (await id);
  const coming = context.waitForEvent("page", { predicate, timeout: OPEN_PAGE_MS });
  coming.catch(() => undefined);
  opened(open());
  await id;
  return coming;
}

/**
 * The page of an id, if the browser has it. It lists a page before Playwright has made itself known there, and then the
 * page is waited for: whoever was shown the list may ask for it at once.
 */
export async function listedPage(
  context: BrowserContext,
  { pageId, url }: { readonly pageId: string; readonly url: string },
  isListed: () => boolean,
): Promise<Page | null> {
  let found: (page: Page) => void = () => undefined;
  const coming = new Promise<Page>((resolve) => {
    found = resolve;
  });
  const came = (page: Page): void => {
    targetIdOf(page).then(
      (id) => id === pageId && found(page),
      // It went while it was asked: not the one.
      () => undefined,
    );
  };
  context.on("page", came);
  try {
    const there = await Promise.race([pageWith(context, pageId, url), coming]);
    if (there || !isListed()) return there;
    return (await within(OPEN_PAGE_MS, coming)) ? await coming : null;
  } finally {
    context.off("page", came);
  }
}

/** Those at that address are asked first: each question is a debug session. */
async function pageWith(context: BrowserContext, targetId: string, url: string): Promise<Page | null> {
  const pages = context.pages();
  const likely = pages.filter((page) => page.url() === url);
  for (const page of [...likely, ...pages.filter((one) => !likely.includes(one))]) {
    // A page that goes while it is asked is not the one.
    const found = await targetIdOf(page).catch(() => null);
    if (found === targetId) return page;
  }
  return null;
}

/**
 * Takes a picture of a page that is behind a person's own tabs: such a page is only drawn while somebody films it, so it is
 * filmed meanwhile, as small and as seldom as can be.
 */
export async function drawn<T>({ persons, cdp }: Live, take: () => Promise<T>): Promise<T> {
  if (!persons) return take();
  await cdp.send("Page.startScreencast", {
    format: "jpeg",
    quality: 1,
    maxWidth: 8,
    maxHeight: 8,
    everyNthFrame: 1_000,
  });
  try {
    return await take();
  } finally {
    await cdp.send("Page.stopScreencast");
  }
}
