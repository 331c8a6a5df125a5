import { type Browser, type BrowserContext, chromium } from "playwright";
import { CONNECT_MS, RECONNECT_EVERY_MS } from "../limits.js";

/** `cdp:URL` in place of a browser's path: a browser that a person has started. */
export function cdpAddress(path: string | undefined): string | null {
  return path?.startsWith("cdp:") ? path.slice("cdp:".length) : null;
}

/**
 * Attaches to a browser that a person has started and uses. Nothing of it is set up for us: its pages keep their size,
 * their focus and their downloads.
 */
export async function attachTo(address: string): Promise<Browser> {
  const browser = await chromium.connectOverCDP(address, { timeout: CONNECT_MS, noDefaults: true });
  // Where nobody listens Playwright answers every dialog by itself, those of the person's own tabs too.
  personContextOf(browser).on("dialog", () => undefined);
  return browser;
}

/** The context that is the person's: with the tabs that are open, and with the logins. */
export function personContextOf(browser: Browser): BrowserContext {
  const [context] = browser.contexts();
  if (context) return context;
  throw new Error("The browser has no context of its own.");
}

/** Tries until the browser is there again, or nobody wants it any more. */
export function comeBack(connect: () => Promise<unknown>, back: () => void, isOver: () => boolean): void {
  const attempt = (): void => {
    if (isOver()) return;
    connect().then(back, () => void setTimeout(attempt, RECONNECT_EVERY_MS));
  };
  attempt();
}
