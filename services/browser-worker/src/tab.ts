import { type DialogSeen, HoldfastError, type TabRecord, type Target } from "@holdfast/protocol";
import type { CDPSession, Dialog, Page } from "playwright";
import { nextTabState, type TabEvent } from "./core/tab-life.js";
import { AFTER_DIALOG_MS, CLOSE_MS, MESSAGE_CHARS_MAX } from "./limits.js";
import { within } from "./within.js";

/** A page and the debug session beside it: the session answers also while the page's script does not. */
export interface Live {
  readonly page: Page;
  readonly cdp: CDPSession;
}

interface OpenDialog {
  readonly dialog: Dialog;
  readonly seen: DialogSeen;
}

export interface TabWatcher {
  /** Its record changed: address, title or state. */
  readonly changed: (tab: Tab) => void;
  /** The page went, whoever closed it. */
  readonly closed: (tab: Tab) => void;
}

/** A tab for its whole life: with a page, asleep, or closed. */
export class Tab {
  record: TabRecord;
  live: Live | null = null;
  dialog: OpenDialog | null = null;
  /** The last page tree that was read in full, to tell what changed since. */
  lastSnapshot = "";
  /** What an open dialog holds back; it goes on when the dialog is answered. */
  heldBack: Promise<unknown> | null = null;
  /** The task whose work that is. */
  heldFor: string | null = null;
  /** What a stop still ends here: whoever comes next waits for it. */
  ending: Promise<void> | null = null;
  /** Told of what interrupts an action: a dialog, a crash, the page's end. */
  readonly #listeners = new Set<() => void>();
  readonly #workspaceId: string;
  readonly #watcher: TabWatcher;

  constructor(workspaceId: string, record: TabRecord, watcher: TabWatcher) {
    this.#workspaceId = workspaceId;
    this.record = record;
    this.#watcher = watcher;
  }

  get id(): string {
    return this.record.tabId;
  }

  get target(): Target {
    const { tabId, profileId, url, title } = this.record;
    return { workspaceId: this.#workspaceId, profileId, tabId, url, title };
  }

  get closed(): boolean {
    return this.record.state === "closed";
  }

  get crashed(): boolean {
    return this.record.state === "crashed";
  }

  /** The page, for what must have one. @throws HoldfastError `MCP_TAB_GONE`, `MCP_PAGE_CRASHED` */
  page(): Live {
    if (this.live) return this.live;
    if (this.closed) throw this.gone();
    throw new HoldfastError("MCP_PAGE_CRASHED", "", { tabId: this.id });
  }

  gone(): HoldfastError {
    const lastUrl = this.record.url;
    return new HoldfastError("MCP_TAB_GONE", `The tab ${this.id} was closed; it was at ${lastUrl}.`, { tabId: this.id, lastUrl });
  }

  /** Follows a page that is this tab's from now on. */
  attach(live: Live): void {
    this.live = live;
    this.move("load");
    const { page } = live;
    page.on("dialog", (dialog) => this.#dialogOpened(dialog));
    page.on("domcontentloaded", () => this.#loaded(page));
    page.on("framenavigated", (frame) => {
      if (frame === page.mainFrame()) this.change({ url: page.url() });
    });
    page.on("crash", () => this.#lost(page, "crash"));
    page.on("close", () => this.#lost(page, "close"));
  }

  change(changes: Partial<Pick<TabRecord, "url" | "title" | "scroll">>): void {
    this.record = { ...this.record, ...changes };
    this.#watcher.changed(this);
  }

  move(event: TabEvent): void {
    const state = nextTabState(this.record.state, event);
    if (state === this.record.state) return;
    this.record = { ...this.record, state };
    this.#watcher.changed(this);
  }

  /**
   * Answers the open dialog, and lets what it held back go on.
   * @throws HoldfastError `MCP_PAGE_FAILED` when none is open
   */
  async answerDialog(accept: boolean, promptText: string | undefined): Promise<DialogSeen> {
    const open = this.dialog;
    if (!open) throw new HoldfastError("MCP_PAGE_FAILED", "No dialog is open on the tab.", { tabId: this.id });
    this.dialog = null;
    const heldBack = this.heldBack;
    this.heldBack = null;
    if (accept) await open.dialog.accept(promptText);
    else await open.dialog.dismiss();
    if (heldBack) await this.#untilInterrupted(within(AFTER_DIALOG_MS, heldBack));
    return open.seen;
  }

  /** Closes the page and keeps the tab, which wakes on use. */
  async sleep(): Promise<void> {
    const live = this.live;
    this.live = null;
    this.dialog = null;
    this.heldBack = null;
    this.move("sleep");
    if (live) await within(CLOSE_MS, live.page.close());
  }

  async close(): Promise<void> {
    const live = this.live;
    this.#end("close");
    if (live) await within(CLOSE_MS, live.page.close());
  }

  /** Calls back, once, when something interrupts the tab. */
  onInterrupt(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Another dialog may come straight after the first. */
  #untilInterrupted(work: Promise<unknown>): Promise<unknown> {
    const interrupted = new Promise<void>((resolve) => {
      const stop = this.onInterrupt(() => {
        stop();
        resolve();
      });
      void work.then(stop);
    });
    return Promise.race([work, interrupted]);
  }

  #loaded(page: Page): void {
    if (this.live?.page !== page) return;
    this.move("loaded");
    this.change({ url: page.url() });
  }

  #dialogOpened(dialog: Dialog): void {
    const message = dialog.message().slice(0, MESSAGE_CHARS_MAX);
    const kind = dialog.type() as DialogSeen["kind"];
    this.dialog = { dialog, seen: { tabId: this.id, kind, message, open: true } };
    this.#interrupt();
  }

  /** A page that was let go before (asleep, replaced) tells nothing about the tab any more. */
  #lost(page: Page, event: "crash" | "close"): void {
    if (this.live?.page !== page) return;
    this.#end(event);
  }

  #end(event: "crash" | "close"): void {
    this.live = null;
    this.dialog = null;
    this.move(event);
    this.#interrupt();
    if (event === "close") this.#watcher.closed(this);
  }

  #interrupt(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
