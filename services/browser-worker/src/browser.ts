import { HoldfastError, type UrlRules } from "@holdfast/protocol";
import type { Logger } from "pino";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from "playwright";
import { LAUNCH_MS } from "./limits.js";
import { UrlRuling } from "./rules/ruling.js";
import { Targets } from "./targets.js";

export interface BrowserOptions {
  readonly executablePath: string | undefined;
  readonly headed: boolean;
  readonly log: Logger;
  /** The browser's process is gone; every page went with it. */
  readonly onLost: () => void;
  /** Rules of the whole stack. */
  readonly urlRules: UrlRules;
}

/** What a browser does for itself is not ours to pay for, and nothing of it may reach a network. */
const ARGUMENTS = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--disable-quic",
];

/** The worker's one Chromium: started when it is first needed, and again after it was lost. */
export class BrowserHost {
  /** What Chromium tells of its pages. */
  readonly targets = new Targets();
  /** Holds the URL rules of all projects. */
  readonly ruling: UrlRuling;
  readonly #options: BrowserOptions;
  #starting: Promise<Browser> | null = null;
  #closing = false;

  constructor(options: BrowserOptions) {
    this.#options = options;
    this.ruling = new UrlRuling(options.urlRules, this.targets, (thrown) =>
      options.log.warn({ err: thrown }, "a request was not looked at"),
    );
  }

  /** @throws HoldfastError `MCP_NO_WORKER` when Chromium does not start */
  browser(): Promise<Browser> {
    this.#starting ??= this.#launch().catch((cause: unknown) => {
      this.#starting = null;
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new HoldfastError("MCP_NO_WORKER", `Chromium did not start: ${message}`, {}, { cause });
    });
    return this.#starting;
  }

  async context(options: BrowserContextOptions): Promise<BrowserContext> {
    const browser = await this.browser();
    return browser.newContext(options);
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.#starting) await (await this.#starting).close();
  }

  async #launch(): Promise<Browser> {
    const { executablePath, headed, log, onLost } = this.#options;
    const browser = await chromium.launch({
      ...(executablePath ? { executablePath } : {}),
      headless: !headed,
      timeout: LAUNCH_MS,
      // Chromium's sandbox does not work for root, and for everybody else it stays on.
      chromiumSandbox: process.getuid?.() !== 0,
      args: ARGUMENTS,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    browser.on("disconnected", () => {
      this.#starting = null;
      if (this.#closing) return;
      log.error("the browser was lost");
      onLost();
    });
    await this.targets.follow(browser);
    await this.ruling.interceptor.follow(browser);
    log.info({ version: browser.version() }, "the browser is there");
    return browser;
  }
}
