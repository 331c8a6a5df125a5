import type { Admitted } from "@holdfast/protocol";
import type { Cursor } from "../project.js";
import type { Tab } from "../tabs/tab.js";

/** A mutation under way: what a stop needs to end it. */
export interface Running {
  readonly work: Admitted;
  readonly abort: AbortController;
  /** Resolves once its end is told, or nobody may tell it any more. */
  readonly ended: Promise<void>;
  /** When it was begun and when its work in the page was over, in ms since the epoch; null: not yet. */
  readonly begunAt: number;
  doneAt: number | null;
  /** Null until the tab is settled. */
  tab: Tab | null;
  /** Where the cursor was when its end was written down; undefined before. */
  toldCursor?: Cursor | null;
}
