import type { Browser, CDPSession } from "playwright";
import { type LookedAt, lookedAt } from "../core/url-rules.js";
import type { Targets } from "../tabs/targets.js";
import type { Guard } from "./guard.js";

interface Paused {
  readonly requestId: string;
  readonly request: { readonly url: string };
  readonly frameId: string;
  readonly resourceType: string;
}

/** Who may pass at a proxy of ours: asked by the address that only it has. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Its hosts exist nowhere but at our proxy, where a new context shows its credentials once. */
export const GREETING_HOST = "holdfast-greeting.invalid";

/**
 * Looks at what pages ask for before it leaves the browser (CDP `Fetch` of the browser's own session): documents, frames,
 * redirects, first loads of new windows, requests of workers. What is denied is cut there, so a page stays where it is.
 * Only what a rule may be about is paused; with no rule nothing is.
 */
export class Interceptor {
  readonly #targets: Targets;
  readonly #guards = new Set<Guard>();
  readonly #credentials = new Map<string, Credentials>();
  readonly #onFault: (thrown: unknown) => void;
  #session: CDPSession | null = null;
  #told = "[]";

  constructor(targets: Targets, onFault: (thrown: unknown) => void) {
    this.#targets = targets;
    this.#onFault = onFault;
  }

  async follow(browser: Browser): Promise<void> {
    const session = await browser.newBrowserCDPSession();
    this.#session = session;
    this.#told = "[]";
    session.on("Fetch.requestPaused", (paused) => void this.#judge(session, paused).catch(this.#onFault));
    session.on("Fetch.authRequired", ({ requestId, request }) => {
      const credentials = this.#credentials.get(new URL(request.url).pathname);
      const authChallengeResponse = credentials
        ? { response: "ProvideCredentials" as const, ...credentials }
        : { response: "Default" as const };
      session.send("Fetch.continueWithAuth", { requestId, authChallengeResponse }).catch(this.#onFault);
    });
    await this.refresh();
  }

  add(guard: Guard): () => void {
    this.#guards.add(guard);
    const stop = guard.onChange(() => void this.refresh().catch(this.#onFault));
    return () => {
      stop();
      this.#guards.delete(guard);
      void this.refresh().catch(this.#onFault);
    };
  }

  /** Whether some project has that page. */
  isTaken(targetId: string): boolean {
    const owners = [...this.#guards].map(({ ownerOf }) => ownerOf({ targetId, contextId: undefined, openerId: null }));
    return owners.some((owner) => owner !== undefined);
  }

  /** Has the browser look at what the rules of today are about. */
  async refresh(): Promise<void> {
    const session = this.#session;
    const patterns = this.#patterns();
    const told = JSON.stringify(patterns);
    if (!session || told === this.#told) return;
    this.#told = told;
    if (patterns.length === 0) await session.send("Fetch.disable");
    else await session.send("Fetch.enable", { patterns, handleAuthRequests: this.#credentials.size > 0 });
  }

  /** Has whoever loads `path` of the greeting's host show these credentials to the proxy, while `act` runs. */
  async greeting<T>(path: string, credentials: Credentials, act: () => Promise<T>): Promise<T> {
    this.#credentials.set(path, credentials);
    try {
      await this.refresh();
      return await act();
    } finally {
      this.#credentials.delete(path);
      await this.refresh();
    }
  }

  #patterns(): LookedAt[] {
    const active = [...this.#guards].filter((guard) => guard.active);
    const all = active.flatMap((guard) => lookedAt(guard.rules));
    if (this.#credentials.size > 0) all.push({ urlPattern: `http://${GREETING_HOST}/*` });
    return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
  }

  async #judge(session: CDPSession, { requestId, request, frameId, resourceType }: Paused): Promise<void> {
    const asker = this.#targets.asker(frameId);
    for (const guard of this.#guards) {
      const owner = guard.active ? guard.ownerOf(asker) : undefined;
      const rule = owner === undefined ? null : guard.ruleAgainst(request.url);
      if (rule === null) continue;
      const document = resourceType === "Document" && this.#targets.isPage(frameId);
      guard.deny({ url: request.url, rule, kind: document ? "document" : "other", tabId: owner?.tabId ?? null });
      // `Aborted` leaves the page that is there in its place, and a frame as empty as it was.
      const errorReason = resourceType === "Document" ? "Aborted" : "BlockedByClient";
      await session.send("Fetch.failRequest", { requestId, errorReason }).catch(ended);
      // A window that was opened for this has nothing else to show.
      if (document && this.#targets.isUnshown(frameId)) await this.#targets.close(frameId).catch(ended);
      return;
    }
    await session.send("Fetch.continueRequest", { requestId }).catch(ended);
  }
}

/** What was paused went with its page, or with the rule: nothing is left to be told. */
function ended(): undefined {
  return undefined;
}
