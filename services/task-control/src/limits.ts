/** Every limit of task-control, with its unit and its reason. */

/** Inputs of one project decided and stored at a time: bounds how long a stop can wait behind others. */
export const BATCH_MAX = 64;
/** ms the end of an operation waits for an input that it can be stored with; a caller who goes on at once is back in 3. */
export const END_WAITS_MS = 10;
/** Times a lost compare-and-set is tried again. Losing means that another replica won, so this is never reached by load alone. */
export const CAS_TRIES_MAX = 100;
/** Projects whose last state is kept in memory, to spare a read. */
export const PROJECTS_CACHED_MAX = 1_000;
/** ms a worker has to answer a stop; its callback is never behind anything, so silence means that it is gone or paused. */
export const STOP_ANSWER_MS = 500;
/** ms a stop's answer waits for the end of the work, so that the usual stop can say `stopped`; then it says `stopping`. */
export const STOP_SETTLE_MS = 25;
/** ms until a stop order that did not arrive is worthless. */
export const STOP_ORDER_MS = 10_000;
/** ms a call waits for a worker to take the project. */
export const WORKER_WAIT_MS = 5_000;
/** ms one worker gets to answer a claim; it reads the project's saved state first. After that another one is asked. */
export const CLAIM_MS = 2_000;
/** ms without a sign of life after which a worker is not asked to take a project: it gives one each second. */
export const SILENT_MS_MAX = 2_500;
/** ms after which an operation that is pending and in no queue is a stray: longer than a publication may take. */
export const STRAY_AFTER_MS = 10_000;
/** Rounds over the projects from one look for strays to the next: each costs a read for every busy project. */
export const STRAY_ROUNDS = 5;
/** ms between attempts to find a worker, and between rounds over projects whose worker was lost. */
export const WORKER_RETRY_MS = 250;
export const SWEEP_EVERY_MS = 1_000;
/** ms a worker has to save a project: large storage takes a while. */
export const SAVE_MS = 30_000;
/** ms new work waits for the verdict on a quit. */
export const VERDICT_WAIT_MS = 5_000;
/** ms an asker who joins an operation under way waits for its end. */
export const JOIN_WAIT_MS = 600_000;
/** Viewers that are remembered. */
export const VIEWERS_MAX = 1_000;
/** ms a start waits for a second heartbeat of a worker that the store still knows: workers beat once a second. */
export const BEATS_WAIT_MS = 2_500;
/** Characters of an exported project that is imported: its storage is in it, in base64. */
export const IMPORT_BYTES_MAX = 402_653_184;
/** Reports of the last start that are kept. */
export const RESTORE_REPORTS_MAX = 500;
/** Projects that a start brings back at once; the others come back when they are used. Each has a page, and pages cost memory. */
export const BRING_BACK_MAX = 20;
/** ms one project gets to come back, and ms after which a lease from before the start is known to be alive. */
export const BRING_BACK_MS = 15_000;
/** ms a worker gets to bring new settings to the pages of a project: it reads storage and drafts when contexts are made anew. */
export const SETTINGS_MS = 15_000;
/** ms a run is kept after its last change: a person who was asked on a Friday answers on a Monday. */
export const RUN_KEPT_MS = 7 * 86_400_000;
/** ms between signs of life of whoever drives a run, and ms without one after which another takes over. */
export const RUN_BEAT_MS = 2_000;
export const RUN_TAKE_OVER_MS = 6_000;
/** Characters of the page tree that is kept as evidence: what a model takes at once. */
export const EVIDENCE_CHARS_MAX = 40_000;
/** ms the page gets to be read as evidence. */
export const EVIDENCE_MS = 5_000;
/** Programs of one project. */
export const PROGRAMS_MAX = 500;
