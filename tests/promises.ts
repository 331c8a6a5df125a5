import { busTrouble, chaos, failover, ledger } from "./support/promises-failures.js";
import { orphans, record, sleep, state } from "./support/promises-kept.js";
import { disconnect, hanging, lifetimes, lostBrowser, quit, stop } from "./support/promises-lifetimes.js";
import { programs, recording } from "./support/promises-recordings.js";
import { attached, newTabs, scripts, urlRules } from "./support/promises-tabs.js";
import { badInput, cursorAndView, identity, receivers } from "./support/promises-work.js";

/** What Holdfast promises: the titles of the tests are these sentences, and each is proved by at least one test. */
export const promises = {
  ...cursorAndView,
  ...receivers,
  ...identity,
  ...stop,
  ...disconnect,
  ...quit,
  ...lifetimes,
  ...hanging,
  ...lostBrowser,
  ...badInput,
  ...recording,
  ...programs,
  ...newTabs,
  ...attached,
  ...urlRules,
  ...scripts,
  ...state,
  ...sleep,
  ...orphans,
  ...record,
  ...failover,
  ...ledger,
  ...busTrouble,
  ...chaos,
} as const;

export type PromiseId = keyof typeof promises;

/** The step up to which every promise has to be proved: 1 the main job, 2 tabs and recordings, 3 nothing lost. */
export const PROVED_UP_TO_STEP = 3;

/**
 * The title of the test that proves a promise: `test(verifies("stop.overtakes"), ...)`. What a test adds to tell it
 * from others of the same promise is its second argument, as in "... (while a dialog is open)".
 */
export function verifies(id: PromiseId, variant?: string): string {
  const { sentence } = promises[id];
  return variant === undefined ? sentence : `${sentence} (${variant})`;
}
