import type { RecordedAction } from "@holdfast/protocol";
import type { Frame } from "playwright";
import { HERE_MS } from "../limits.js";
import type { Live, Tab } from "../tabs/tab.js";

/** Told of what happens to one page beside what is done in it. */
export interface PageListener {
  readonly action: (action: RecordedAction) => void;
  /** A document came, and did not say that it has the capture script. */
  readonly silent: (frame: Frame, since: string) => void;
}

const REASONS: Readonly<Record<string, "page" | "reload">> = { reload: "reload" };

/** Follows one page of a tab: its navigations and who began them, its dialogs and how they were answered. */
export class Follower {
  readonly live: Live;
  readonly #listener: PageListener;
  readonly #off: (() => void)[] = [];
  readonly #silent = new Map<Frame, NodeJS.Timeout>();
  #asked: "page" | "history" | "reload" | null = null;
  #first = true;
  #dialog: { readonly kind: string; readonly message: string } | null = null;

  /** @param opened the tab was opened by a page, so its first address is that page's doing */
  constructor({ record }: Tab, live: Live, listener: PageListener) {
    this.live = live;
    this.#listener = listener;
    this.#first = record.openerTabId !== null;
    this.#navigations();
    this.#dialogs();
    this.#documents();
  }

  /** The document of the frame has the capture script. */
  here(frame: Frame): void {
    clearTimeout(this.#silent.get(frame));
    this.#silent.delete(frame);
  }

  /** Somebody acts in the page: from here on its addresses are no longer its opener's. */
  acted(): void {
    this.#first = false;
  }

  stop(): void {
    for (const off of this.#off) off();
    for (const timer of this.#silent.values()) clearTimeout(timer);
    this.#silent.clear();
  }

  #navigations(): void {
    const { cdp } = this.live;
    const requested = ({ frameId, reason }: { frameId: string; reason: string }): void => {
      if (frameId === this.live.targetId) this.#asked = REASONS[reason] ?? "page";
    };
    const started = ({ frameId, navigationType }: { frameId: string; navigationType: string }): void => {
      if (frameId !== this.live.targetId || this.#asked !== null) return;
      if (navigationType.startsWith("history")) this.#asked = "history";
      if (navigationType.startsWith("reload")) this.#asked = "reload";
    };
    const navigated = ({ frame }: { frame: { parentId?: string; url: string; urlFragment?: string } }): void => {
      if (frame.parentId !== undefined || frame.url.startsWith("chrome-error:")) return;
      const how = this.#first ? "page" : (this.#asked ?? "asked");
      this.#asked = null;
      if (frame.url === "about:blank" && how === "page") return;
      this.#listener.action({ do: "navigate", url: `${frame.url}${frame.urlFragment ?? ""}`, how });
    };
    cdp.on("Page.frameRequestedNavigation", requested);
    cdp.on("Page.frameStartedNavigating", started);
    cdp.on("Page.frameNavigated", navigated);
    this.#off.push(() => {
      cdp.off("Page.frameRequestedNavigation", requested);
      cdp.off("Page.frameStartedNavigating", started);
      cdp.off("Page.frameNavigated", navigated);
    });
  }

  #dialogs(): void {
    const { cdp } = this.live;
    const opened = ({ type, message }: { type: string; message: string }): void => {
      this.#dialog = { kind: type, message: message.slice(0, 2_000) };
    };
    const closed = ({ result, userInput }: { result: boolean; userInput: string }): void => {
      const seen = this.#dialog;
      this.#dialog = null;
      if (!seen) return;
      const promptText = result && seen.kind === "prompt" ? { promptText: userInput.slice(0, 2_000) } : {};
      this.#listener.action({ do: "dialog", ...seen, accepted: result, ...promptText });
    };
    cdp.on("Page.javascriptDialogOpening", opened);
    cdp.on("Page.javascriptDialogClosed", closed);
    this.#off.push(() => {
      cdp.off("Page.javascriptDialogOpening", opened);
      cdp.off("Page.javascriptDialogClosed", closed);
    });
  }

  /** A new document tells by itself that it has the script; one that does not in time is looked after. */
  #documents(): void {
    const { page } = this.live;
    const came = (frame: Frame): void => {
      const since = new Date().toISOString();
      clearTimeout(this.#silent.get(frame));
      this.#silent.set(
        frame,
        setTimeout(() => {
          this.#silent.delete(frame);
          this.#listener.silent(frame, since);
        }, HERE_MS),
      );
    };
    page.on("framenavigated", came);
    page.on("framedetached", (frame) => this.here(frame));
    this.#off.push(() => void page.off("framenavigated", came));
  }
}
