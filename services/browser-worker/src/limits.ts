/** Every limit of a browser worker, with its unit and its reason. */

/** ms between renewals of a lease: three fit into its life. */
export const RENEW_EVERY_MS = 3_000;
/** ms without a renewal after which a worker stops itself: well before somebody else may take the lease. */
export const FENCE_AFTER_MS = 6_500;
/** ms between heartbeats. */
export const HEARTBEAT_EVERY_MS = 1_000;
/** ms between tries to tell task-control of an end; it is tried for as long as the lease is held. */
export const REPORT_RETRY_MS = 250;

/** ms an aborted action gets to end by itself; Playwright's end within a few. */
export const CUT_SETTLE_MS = 60;
/** ms a page gets to answer that it is alive, after its work was cut. */
export const PING_MS = 120;
/** ms script that was told to terminate gets to do so; measured at 5. */
export const TERMINATE_MS = 250;
/** ms a page gets to close; after that it is given up, and its process ends with the browser's. */
export const CLOSE_MS = 2_000;

/** Characters of a page tree in one answer: about 20,000 tokens, what clients take at once. */
export const SNAPSHOT_CHARS_MAX = 80_000;
/** Characters of an evaluation's value in one answer. */
export const VALUE_CHARS_MAX = 200_000;
/** Characters of a message of a dialog, or of an error of a page, that are passed on. */
export const MESSAGE_CHARS_MAX = 2_000;
/** Bytes of one screenshot. A page can be as tall as it likes. */
export const SCREENSHOT_BYTES_MAX = 16_777_216;
/** ms a navigation that an action began gets until its document is there, before the action is answered. */
export const NAVIGATION_SETTLE_MS = 5_000;
/** ms what an open dialog held back gets to go on once it is answered. */
export const AFTER_DIALOG_MS = 500;

/** Tabs of one project, open or asleep. */
export const TABS_MAX = 100;
/** Closed tabs that are remembered, so that whoever names one hears that it is gone and where it was. */
export const CLOSED_TABS_MAX = 200;
/** Executions whose stop is remembered, to discard what of theirs is still queued. */
export const STOPPED_MAX = 200;
/** ms that changes of addresses and titles are gathered before the table of tabs is stored. */
export const TABLE_DEBOUNCE_MS = 250;
/** ms one page gets to tell its drafts and scroll position when it is saved. */
export const SAVE_PAGE_MS = 2_000;
/** Form fields of one page that are saved, and characters of each. */
export const DRAFTS_MAX = 200;
export const DRAFT_CHARS_MAX = 20_000;
/** ms a tab that wakes gets to load its address, and a field to take its draft. */
export const WAKE_MS = 15_000;
export const DRAFT_FILL_MS = 1_000;
/** ms Chromium gets to start. */
export const LAUNCH_MS = 30_000;
/** ms a worker that is told to end gets to save and close. */
export const DRAIN_MS = 8_000;
/** ms a window that a page said it opens gets to become a tab; measured at 10. */
export const OPENING_MS = 1_000;
/** ms a new tab gets to have its document, before the cursor goes there. */
export const FOLLOW_MS = 3_000;
/** ms Chromium gets to show its own page after a load has failed; after some failures it shows none. */
export const ERROR_PAGE_MS = 250;
