import { type DialogSeen, HoldfastError, type TabRecord, type Target } from "@holdfast/protocol";
import type { CDPSession, Dialog, Page } from "playwright";
import { nextTabState, type TabEvent } from "../core/tab-life.js";
import { AFTER_DIALOG_MS, CLOSE_MS, MESSAGE_CHARS_MAX } from "../limits.js";
import { Uses } from "../uses.js";
import { Waits } from "../waits.js";
import { within } from "../within.js";
import { Openings } from "./openings.js";
import { Title } from "./title.js";

/** A page and the debug session beside it: the session answers also while the page's script does not. */
export interface Live {
  readonly page: Page;
  readonly cdp: CDPSession;
  /** Chromium's ids of the page and of its context. */
  readonly targetId: string;
  readonly contextId: string;
  /** It is in a person's browser, and outlives us. */
  readonly persons: boolean;
}

interface OpenDialog {
  readonly dialog: Dialog;
  readonly seen: DialogSeen;
}

const STORAGE_EVENTS = [
  "DOMStorage.domStorageItemAdded",
  "DOMStorage.domStorageItemUpdated",
  "DOMStorage.domStorageItemRemoved",
  "DOMStorage.domStorageItemsCleared",
] as const;

export interface TabWatcher {
  /** Its record changed: address, title or state. */
  readonly changed: (tab: Tab) => void;
  /** Its first document is there. */
  readonly ready: (tab: Tab) => void;
  /** The page went, whoever closed it. */
  readonly closed: (tab: Tab) => void;
  /** Its page has changed what it keeps, by itself too. */
  readonly stored: () => void;
  /** Resolves when work that was told to end has ended. */
  readonly over: (work: Promise<unknown>) => Promise<void>;
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
  /** Chromium's id of its page; null while it has none. */
  targetId: string | null = null;
  /** Its page was told of, and there is no page object of it yet: its first document hangs. */
  arriving = false;
  /** The browser ended with its page, and it has no other one yet. */
  lost = false;
  /** It is given its page back at this moment. */
  waking: Promise<unknown> | null = null;
  readonly uses = new Uses();
  readonly openings = new Openings();
  readonly title = new Title(this);
  /** For what waits for the tab: told of dialogs, of its state, of its page. */
  readonly waits = new Waits();
  #readyTold = false;
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
    return new HoldfastError("MCP_TAB_GONE", `The tab ${this.id} was closed; it was at ${lastUrl}.`, {
      tabId: this.id,
      lastUrl,
    });
  }

  /** Follows a page that is this tab's from now on. */
  attach(live: Live): void {
    this.live = live;
    this.lost = false;
    this.targetId = live.targetId;
    if (live.persons) this.record = { ...this.record, pageId: live.targetId };
    this.arriving = false;
    this.openings.reset();
    this.move("load");
    this.waits.tell();
    const { page, cdp } = live;
    cdp.on("Page.windowOpen", ({ url }) => this.openings.said(url));
    for (const event of STORAGE_EVENTS)
      cdp.on(event, ({ storageId }) => storageId.isLocalStorage && this.#watcher.stored());
    page.on("dialog", (dialog) => {
      if (this.live === live) this.#dialogOpened(dialog);
    });
    page.on("domcontentloaded", () => this.#loaded(page));
    // A page that a page opened may have loaded before it was ours; what becomes of a page that goes is told by its end.
    page.waitForLoadState("domcontentloaded", { timeout: 0 }).then(
      () => this.#loaded(page),
      () => undefined,
    );
    page.on("framenavigated", (frame) => {
      if (this.live === live && frame === page.mainFrame()) this.#arrivedAt(page.url());
    });
    page.on("crash", () => {
      // A page that was let go before (asleep, replaced) tells nothing about the tab any more.
      if (this.live === live) this.#end("crash");
    });
  }

  /** Its page is on its way. */
  arrives(targetId: string): void {
    this.targetId = targetId;
    this.arriving = true;
  }

  /** Resolves when its page is there. @throws the signal's reason, `MCP_TAB_GONE` */
  async arrived(signal?: AbortSignal): Promise<void> {
    await this.waits.until(() => !this.arriving || this.closed, signal);
    if (this.closed) throw this.gone();
  }

  /** Resolves when its document is there. @throws the signal's reason, `MCP_TAB_GONE` */
  async ready(signal: AbortSignal): Promise<void> {
    await this.waits.until(() => this.record.state === "ready" || this.closed, signal);
    if (this.closed) throw this.gone();
  }

  /** Resolves when work in it that was told to end has ended. */
  over(work: Promise<unknown>): Promise<void> {
    return this.#watcher.over(work);
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
    this.waits.tell();
    if (state !== "ready" || this.#readyTold) return;
    this.#readyTold = true;
    this.#watcher.ready(this);
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
    // The end of the page that it had is not the end of the tab.
    this.targetId = null;
    this.move("sleep");
    if (live) await this.#letGo(live);
  }

  async close(): Promise<void> {
    const live = this.live;
    this.#end("close");
    if (live) await this.#letGo(live);
  }

  /**
   * Its page is gone, and the tab with it. Only the browser's own word counts for that: where the browser ends, or the
   * link to it is lost, all pages look closed, and the tabs are not.
   */
  went(): void {
    this.targetId = null;
    this.#end("close");
  }

  /** The browser ended, and the page with it: the tab wakes in the next one. */
  lose(): void {
    this.lost = this.live !== null;
    this.arriving = false;
    void this.sleep();
  }

  /** Resolves at once, unless its page has gone and it is not told yet whether alone or with the browser. */
  async fate(): Promise<void> {
    const { live } = this;
    if (!live?.page.isClosed()) return;
    await within(
      CLOSE_MS,
      this.waits.until(() => this.live !== live),
    );
    if (this.live === live && !live.persons) this.went();
  }

  /** Closes the page; one that is a person's stays open, as it was. */
  async #letGo({ page, cdp }: Live): Promise<void> {
    if (!this.record.adopted) return this.over(page.close());
    const back = cdp.send("Emulation.setFocusEmulationEnabled", { enabled: false }).then(() => cdp.detach());
    await within(CLOSE_MS, back);
  }

  /** Another dialog may come straight after the first. */
  async #untilInterrupted(work: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    await Promise.race([work, this.waits.until(() => this.dialog !== null || !this.live, over.signal)]);
    over.abort();
  }

  #loaded(page: Page): void {
    if (this.live?.page !== page) return;
    this.move("loaded");
    this.#arrivedAt(page.url());
    void this.title.read();
  }

  /** Chromium shows an address that did not load as one of its own: the tab keeps the one that was meant. */
  #arrivedAt(url: string): void {
    if (!url.startsWith("chrome-error:")) this.change({ url });
  }

  #dialogOpened(dialog: Dialog): void {
    const message = dialog.message().slice(0, MESSAGE_CHARS_MAX);
    const kind = dialog.type() as DialogSeen["kind"];
    this.dialog = { dialog, seen: { tabId: this.id, kind, message, open: true } };
    this.waits.tell();
  }

  #end(event: "crash" | "close"): void {
    this.live = null;
    this.dialog = null;
    this.move(event);
    this.waits.tell();
    if (event === "close") this.#watcher.closed(this);
  }
}
