/** Every limit of a browser worker, with its unit and its reason. */

/** ms between renewals of a lease: three fit into its life. */
export const RENEW_EVERY_MS = 3_000;
/** ms between looks at whether the browser answers, and that it gets to answer each ask: it does within 5, and within 500 on a machine under double load. */
export const PULSE_EVERY_MS = 2_000;
export const PULSE_ANSWER_MS = 2_000;
/** Asks in a row that a browser leaves unanswered before it is ended: a silent one is found within 6 s. */
export const PULSE_ASKS = 2;
/** ms without a renewal after which a worker stops itself: well before somebody else may take the lease. */
export const FENCE_AFTER_MS = 6_500;
/** ms between looks at leases that were not renewed. */
export const FENCE_LOOK_MS = 250;
/** ms after the oldest renewal at which the browser is ended from outside: after the worker should have fenced itself, and before anybody else can have the lease. */
export const FUSE_MS = 8_000;
/** ms between signs of life to what would end it. */
export const FUSE_EVERY_MS = 1_500;
/** ms an operation may wait in the queue without being asked for again before it is begun: what was decided may have changed. */
export const ASK_TO_BEGIN_MS = 1_000;
/** ms between asks of an operation that waits for a verdict on the one before it. */
export const VERDICT_LOOK_MS = 500;
/** ms between heartbeats. */
export const HEARTBEAT_EVERY_MS = 1_000;
/** ms between tries to tell task-control of an end; it is tried for as long as the lease is held. */
export const REPORT_RETRY_MS = 250;

/** ms an aborted action gets to end by itself; Playwright's end within a few. */
export const CUT_SETTLE_MS = 60;
/** ms a page gets to answer that it is alive, after its work was cut. */
export const PING_MS = 120;
/** ms an action on a ref goes on before it is looked whether the page has that ref at all: what is there is filled within 10. */
export const LOOK_FOR_REF_MS = 15;
/** ms script that was told to terminate gets to do so, before its page is taken away and its outcome is unknown; measured at 5. */
export const TERMINATE_MS = 500;
/** ms a page gets to close; after that it is given up, and its process ends with the browser's. */
export const CLOSE_MS = 2_000;

/** Characters of a page tree in one answer: about 20,000 tokens, what clients take at once. */
export const SNAPSHOT_CHARS_MAX = 80_000;
/** ms the frames of a page get to tell which of their fields hold secrets, once its tree is read; then every value is masked. */
export const SECRETS_MS = 2_000;
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

/** ms after an operation at which its page's title is read again; those that come meanwhile share the read. */
export const TITLE_AFTER_MS = 50;

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
/** ms a tab that wakes gets to load its address, a field to take its draft, and all of them together. */
export const WAKE_MS = 15_000;
export const DRAFT_FILL_MS = 1_000;
export const DRAFTS_FILL_MS = 2_000;
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
/** Steps of one recording: hours of a person's work. What comes after is a gap that is named. */
export const RECORDED_STEPS_MAX = 10_000;
/** Characters of one recorded value; a longer one is a gap that is named. */
export const RECORDED_TEXT_CHARS_MAX = 20_000;
/** Steps and bytes of one stored chunk: it is written anew with each step, and travels in one message. */
export const CHUNK_STEPS_MAX = 50;
export const CHUNK_BYTES_MAX = 200_000;
/** ms a document that is there gets to take the capture script; one that hangs is a gap that is named. */
export const INJECT_MS = 1_000;
/** ms a new document gets to tell that it has the capture script, before it is given it; measured at 5. */
export const HERE_MS = 2_000;
/** ms between signs of a recording that it still sees everything: so exactly is the gap of a lost worker known. */
export const RECORDING_SIGN_MS = 2_000;
/** Things that pages told before their tab was known, which are kept until it is. */
export const EARLY_MAX = 200;
/** ms a project has to be quiet before its state is saved, and after which it is saved though it is not. */
export const SAVE_QUIET_MS = 1_000;
export const SAVE_LATEST_MS = 10_000;
/** ms between two saves of one project: storage is read out of the pages, which costs them some 50 ms. */
export const SAVE_EVERY_MS = 5_000;
/** ms between looks at what is due, and at cookies, which a page changes without a word. */
export const SAVE_LOOK_MS = 250;
export const COOKIES_LOOK_MS = 10_000;
/** ms a profile's storage gets to be read: a page in a script loop never answers, and then what was read last is kept. */
export const READ_STORAGE_MS = 5_000;
/** Times a lost compare-and-set of the pointer is tried again while a project is taken: the worker before may still save. */
export const ADOPT_TRIES_MAX = 5;
/** Bytes of one saved state: beyond it is somebody's database, not a login. */
export const STATE_BYTES_MAX = 268_435_456;
/** ms the page that a login check names gets to load, and to show what it must. */
export const LOGIN_CHECK_MS = 5_000;
/** ms between looks at whether somebody who came back logged out has logged in again: each loads a page of the site. */
export const LOGIN_LOOK_EVERY_MS = 60_000;
/** Pages that one project may have at a time, and one worker; the others sleep. A page is some 30 to 100 MB. */
export const AWAKE_PER_PROJECT_MAX = 20;
export const AWAKE_PER_WORKER_MAX = 40;
/** ms after its last use at which a tab sleeps. */
export const TAB_IDLE_MS = 600_000;
/** ms for which a tab that was just used does not sleep, whatever the limits: a call is often followed by another. */
export const TAB_REST_MS = 1_000;
/** Bytes of a worker's browser above which tabs sleep, and how many do so before it is measured again. */
export const BROWSER_MEMORY_MAX = 4_294_967_296;
export const MEMORY_STEP = 4;
/** ms between looks at what should sleep, and between measurements of memory: reading it costs a few ms. */
export const SLEEP_LOOK_MS = 500;
export const MEMORY_LOOK_MS = 5_000;
/** ms after its last use at which a profile without pages gives its browser context back: making one anew costs some 100 ms. */
export const CONTEXT_IDLE_MS = 30_000;
/** ms that what a dead worker's browser has left gets to end by itself: it does within 2,000 when its pipe closes. */
export const ORPHAN_GRACE_MS = 4_000;
/** Denials by URL rules that are remembered, for the operation under way to tell. */
export const DENIALS_MAX = 100;
/** ms within which the same denial is told as a fact once only: a page may try again for ever. */
export const DENIAL_AGAIN_MS = 10_000;
/**
 * ms a window that an action opened, or an immediate refresh of a page, gets to be denied or shown, where there are rules:
 * it was seen to take over 1,500 on a machine under double load.
 */
export const DENIAL_SETTLE_MS = 3_000;
/** ms an action whose page was denied gets to end by itself; it does within 20 unless it loads another one. */
export const DENIED_END_MS = 300;
/** ms between looks at whether anything was heard of an attached browser's tabs. */
export const POLL_INTERVAL_MS = 500;
/** Looks that heard nothing before the real list of tabs is read: every 5 s, which is rare enough to cost nothing. */
export const EMPTY_POLLS_BEFORE_TAB_CHECK = 10;
/** ms an attached browser gets to list its tabs; then its link is dead. With the polls before, found within 10 s. */
export const LINK_ANSWER_MS = 3_000;
/** ms a browser gets to be attached to, and between tries to get back to one whose link was lost. */
export const CONNECT_MS = 10_000;
export const RECONNECT_EVERY_MS = 500;
/** ms a page that was opened behind the others gets to be there; measured at 60. */
export const OPEN_PAGE_MS = 10_000;
/** ms a new context gets to show its credentials to the proxy; measured at 30. */
export const GREETING_MS = 5_000;
/** ms after which an element is looked for again though nothing was seen to change: styles change without a word. */
export const LOOK_AGAIN_MS = 1_000;
/** ms an empty window looks out at every turn for the document that takes its place; later ones are seen from outside. */
export const SUCCESSOR_MS = 2_000;
