import {
  HoldfastError,
  type OperationName,
  type OperationNamed,
  type PageResult,
  type RequestOf,
} from "@holdfast/protocol";
import { errors, type Frame, type Page, type Response } from "playwright";
import { challengeIn } from "../core/challenge.js";
import { ERROR_PAGE_MS } from "../limits.js";
import { checked } from "../rules/address.js";
import { within } from "../within.js";
import type { Bounds } from "../work/perform.js";
import type { PageContext } from "./context.js";

type Request<N extends OperationName> = RequestOf<OperationNamed<N>>;

export async function navigate({ url: asked }: Request<"browser_navigate">, context: PageContext): Promise<PageResult> {
  const url = checked(asked);
  const response = await load(context, url).catch((thrown: unknown) => {
    // Where the tab shows Chromium's word on that address it is at that address, and there it wakes; a denied one leaves it where it was.
    if (context.page.url().startsWith("chrome-error:")) context.tab.change({ url: url.href, title: "" });
    throw thrown;
  });
  return arrived(context, response);
}

/**
 * Loads an address and waits until the document is there.
 * @throws HoldfastError `MCP_PAGE_FAILED` also where the site shows a test for people instead: then the tab is there
 */
export async function load({ page, signal, timeoutMs }: Loading, url: URL): Promise<Response | null> {
  const errorPage = watchErrorPage(page);
  try {
    const response = await page.goto(url.href, { waitUntil: "domcontentloaded", signal, timeout: timeoutMs });
    if (response) checkChallenge(url, response);
    return response;
  } catch (thrown) {
    const refused = !signal.aborted && !(thrown instanceof errors.TimeoutError || thrown instanceof HoldfastError);
    if (refused) await within(ERROR_PAGE_MS, errorPage.shown);
    throw thrown;
  } finally {
    errorPage.stop();
  }
}

function checkChallenge({ href: asked }: URL, response: Response): void {
  const landing = { asked, url: response.url(), status: response.status(), headers: response.headers() };
  const challenge = challengeIn(landing);
  if (challenge === null) return;
  const told = `The site shows a test for people instead of that page (${challenge}). Asking again does not help: a person can pass it in this tab, or go elsewhere.`;
  throw new HoldfastError("MCP_PAGE_FAILED", told, { url: landing.url, asked, status: landing.status, challenge });
}

export interface Loading extends Bounds {
  readonly page: Page;
}

/** Chromium shows a page of its own a moment after a load has failed, and that would cut off the next load. */
function watchErrorPage(page: Page): { readonly shown: Promise<void>; readonly stop: () => void } {
  let seen: () => void = () => undefined;
  const shown = new Promise<void>((resolve) => {
    seen = resolve;
  });
  const look = (frame: Frame): void => {
    if (frame === page.mainFrame() && frame.url().startsWith("chrome-error:")) seen();
  };
  page.on("framenavigated", look);
  return { shown, stop: () => void page.off("framenavigated", look) };
}

export async function navigateBack(
  _request: Request<"browser_navigate_back">,
  context: PageContext,
): Promise<PageResult> {
  const response = await context.page.goBack({
    waitUntil: "domcontentloaded",
    signal: context.signal,
    timeout: context.timeoutMs,
  });
  if (response === null && context.page.url() === context.tab.record.url) {
    throw new HoldfastError("MCP_PAGE_FAILED", "There is nothing to go back to.", { url: context.page.url() });
  }
  return arrived(context, response);
}

async function arrived({ page, tab }: PageContext, response: Response | null): Promise<PageResult> {
  tab.change({ url: page.url() });
  await tab.title.read();
  const status = response?.status();
  const told = status !== undefined && status >= 400 ? ` The server answered ${status}.` : "";
  return { text: `Loaded ${page.url()}.${told}` };
}
