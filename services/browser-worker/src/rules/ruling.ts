import type { UrlRules } from "@holdfast/protocol";
import type { BrowserContextOptions, Page } from "playwright";
import { GREETING_MS } from "../limits.js";
import type { ContextMade } from "../tabs/profiles.js";
import type { Targets } from "../tabs/targets.js";
import type { Denial } from "./denials.js";
import { Guard, type OwnerOf } from "./guard.js";
import { GREETING_HOST, Interceptor } from "./interceptor.js";
import { RuleProxy } from "./proxy.js";

/** Makes contexts, and pages in them. */
export interface ContextMaker {
  readonly context: (options: BrowserContextOptions) => Promise<ContextMade>;
  readonly openPage: (made: ContextMade) => Promise<Page>;
}

/** All that holds URL rules in one worker: a guard for each project, one proxy, and one look into the browser. */
export class UrlRuling {
  readonly interceptor: Interceptor;
  readonly #proxy = new RuleProxy();
  readonly #stack: UrlRules;
  readonly #stops = new WeakMap<Guard, () => void>();

  constructor(stack: UrlRules, targets: Targets, onFault: (thrown: unknown) => void) {
    this.#stack = stack;
    this.interceptor = new Interceptor(targets, onFault);
  }

  /** A project's guard, until it is let go. */
  guard(hooks: { readonly ownerOf: OwnerOf; readonly tell: (denial: Denial) => void }): Guard {
    const guard = new Guard(this.#stack, hooks);
    this.#stops.set(guard, this.interceptor.add(guard));
    return guard;
  }

  letGo(guard: Guard): void {
    this.#stops.get(guard)?.();
    this.#stops.delete(guard);
  }

  /** Makes a context whose traffic all passes through the proxy, if the project has rules; else a plain one. */
  async context(guard: Guard, options: BrowserContextOptions, maker: ContextMaker): Promise<ContextMade> {
    await this.interceptor.refresh();
    if (!guard.active) return maker.context(options);
    const { server, username, password, close } = await this.#proxy.open(guard);
    // Without the bypass of none Chromium would keep the loopback away from the proxy.
    const made = await maker.context({ ...options, proxy: { server, bypass: "<-loopback>" } });
    made.context.once("close", close);
    const path = `/${username}`;
    // Given to Playwright the credentials would have every request paused; Chromium remembers them once it was asked.
    await this.interceptor.greeting(path, { username, password }, () => greet(() => maker.openPage(made), path));
    return { ...made, proxied: true };
  }

  close(): Promise<void> {
    return this.#proxy.close();
  }
}

/** The proxy answers with nothing to show: that is the end of this load, and no fault. */
async function greet(open: () => Promise<Page>, path: string): Promise<void> {
  const page = await open();
  const loading = page.goto(`http://${GREETING_HOST}${path}`, { timeout: GREETING_MS });
  await loading.catch((thrown: unknown) => {
    if (!String(thrown).includes("ERR_ABORTED")) throw thrown;
  });
  await page.close();
}
