import { HoldfastError, type UrlRules } from "@holdfast/protocol";
import type { Logger } from "pino";
import { type Browser, type BrowserContextOptions, type CDPSession, chromium, type Page } from "playwright";
import { attachTo, cdpAddress, comeBack, personContextOf } from "./attached/connect.js";
import { quietPage } from "./attached/quiet.js";
import { CLOSE_MS, LAUNCH_MS } from "./limits.js";
import { lightFuse } from "./owned/fuse.js";
import { guardBrowser } from "./owned/guard.js";
import { killGroup } from "./owned/os-processes.js";
import { feelPulse, type Pulse } from "./owned/pulse.js";
import type { RunFolder } from "./owned/run-folder.js";
import { UrlRuling } from "./rules/ruling.js";
import type { ContextMade } from "./tabs/profiles.js";
import { Targets } from "./tabs/targets.js";
import { within } from "./within.js";

export interface BrowserOptions {
  readonly executablePath: string | undefined;
  readonly headed: boolean;
  readonly log: Logger;
  /** The browser's process is gone; every page went with it. */
  readonly onLost: () => void;
  /** A person's browser whose link was lost is there again. */
  readonly onBack: () => void;
  /** Where the browser puts what is of this run only. */
  readonly folder: RunFolder;
  /** How long ago the lease that waits longest was renewed; null when none is held. */
  readonly leaseAgeMs: () => number | null;
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

/** Switches of Chromium that somebody adds: more than these are no set-up but a mistake. */
const EXTRA_ARGUMENTS_MAX = 20;

/**
 * `HOLDFAST_CHROMIUM_ARGS`: switches of Chromium with blanks between them, such as a proxy or a debug port.
 * @throws Error for what is no switch, so that a mistake is found at the start
 */
export function extraArguments(given = ""): string[] {
  const extra = given.split(/\s+/).filter((one) => one !== "");
  const wrong = extra.find((one) => !/^--[a-z][a-z0-9-]*(=.*)?$/i.test(one));
  if (wrong !== undefined) throw new Error(`HOLDFAST_CHROMIUM_ARGS: ${wrong} is no switch of Chromium.`);
  if (extra.length <= EXTRA_ARGUMENTS_MAX) return extra;
  throw new Error(`HOLDFAST_CHROMIUM_ARGS names ${extra.length} switches; ${EXTRA_ARGUMENTS_MAX} are allowed.`);
}

/** The worker's one Chromium: started when it is first needed, and again after it was lost. */
export class BrowserHost {
  /** What Chromium tells of its pages. */
  readonly targets = new Targets();
  /** Holds the URL rules of all projects. */
  readonly ruling: UrlRuling;
  readonly #options: BrowserOptions;
  #starting: Promise<Browser> | null = null;
  #linked: Browser | null = null;
  /** Of a browser that is ours. */
  #pulse: Pulse | null = null;
  #closing = false;

  constructor(options: BrowserOptions) {
    this.#options = options;
    this.ruling = new UrlRuling(options.urlRules, this.targets, (thrown) =>
      options.log.warn({ err: thrown }, "a request was not looked at"),
    );
  }

  /** @throws HoldfastError `MCP_NO_WORKER` when Chromium does not start */
  browser(): Promise<Browser> {
    const address = this.#address;
    this.#starting ??= (address === null ? this.#launch() : this.#attach(address)).catch((cause: unknown) => {
      this.#starting = null;
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new HoldfastError("MCP_NO_WORKER", `Chromium did not start: ${message}`, {}, { cause });
    });
    return this.#starting;
  }

  /** A person has started the browser, and uses it. */
  get attached(): boolean {
    return this.#address !== null;
  }

  get #address(): string | null {
    return cdpAddress(this.#options.executablePath);
  }

  /** Somebody may be looking at the browser: nothing may come to its front. */
  get #seen(): boolean {
    return this.attached || this.#options.headed;
  }

  async context(options: BrowserContextOptions): Promise<ContextMade> {
    const browser = await this.browser();
    if (!this.#seen) return { context: await browser.newContext(options), proxied: false };
    const { made, contextId } = await this.targets.contextWithId(() => browser.newContext(options));
    return { context: made, proxied: false, contextId };
  }

  /** The context that is the person's own. */
  async personContext(): Promise<ContextMade> {
    return { context: personContextOf(await this.browser()), proxied: false, persons: true };
  }

  openPage({ context, contextId }: Pick<ContextMade, "context" | "contextId">): Promise<Page> {
    return this.#seen ? quietPage(context, () => this.targets.open(contextId)) : context.newPage();
  }

  /** The link to a person's browser is dead, and nobody was told: it is let go, and sought again. */
  async dropLink(): Promise<void> {
    const browser = await this.#starting;
    this.#linkLost(browser);
    // Nobody answers there: what waits for an answer ends when the link is given up, and nobody waits for that.
    if (browser) await within(CLOSE_MS, browser.close());
  }

  /** Something did not end that the browser was told to end: if it answers nothing at all, it is ended, and all in it. */
  async endIfSilent(): Promise<void> {
    await this.#pulse?.look();
  }

  async close(): Promise<void> {
    this.#closing = true;
    // Of a person's browser this only lets go.
    if (this.#starting) await (await this.#starting).close();
  }

  async #attach(address: string): Promise<Browser> {
    const browser = await attachTo(address);
    browser.on("disconnected", () => this.#linkLost(browser));
    await this.targets.follow(browser);
    await this.ruling.interceptor.follow(browser);
    this.#linked = browser;
    this.#options.log.info({ version: browser.version(), address }, "attached to a person's browser");
    return browser;
  }

  #linkLost(browser: Browser | null): void {
    if (this.#closing || browser === null || browser !== this.#linked) return;
    this.#linked = null;
    this.#starting = null;
    this.#options.log.error("the link to the browser was lost");
    this.#options.onLost();
    comeBack(
      () => this.browser(),
      () => this.#options.onBack(),
      () => this.#closing,
    );
  }

  async #launch(): Promise<Browser> {
    const { executablePath, headed, log, onLost, folder, leaseAgeMs } = this.#options;
    const browser = await chromium.launch({
      ...(executablePath ? { executablePath } : {}),
      headless: !headed,
      timeout: LAUNCH_MS,
      // Chromium's sandbox does not work for root, and for everybody else it stays on.
      chromiumSandbox: process.getuid?.() !== 0,
      args: [...ARGUMENTS, ...extraArguments(process.env.HOLDFAST_CHROMIUM_ARGS)],
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    const session = await browser.newBrowserCDPSession();
    const pid = await pidOf(session);
    folder.add(pid);
    const letGuardGo = guardBrowser(pid, folder.path);
    const putFuseOut = lightFuse(pid, folder.path, leaseAgeMs);
    const pulse = feelPulse(
      () => session.send("Browser.getVersion"),
      () => {
        log.error({ pid }, "the browser answers nothing, and is ended");
        killGroup(pid);
      },
    );
    this.#pulse = pulse;
    browser.on("disconnected", () => {
      pulse.stop();
      letGuardGo();
      putFuseOut();
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

/** Playwright keeps the process to itself; Chromium tells. */
async function pidOf(session: CDPSession): Promise<number> {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const found = processInfo.find(({ type }) => type === "browser");
  if (found) return found.id;
  throw new Error("Chromium does not tell which process it is.");
}
