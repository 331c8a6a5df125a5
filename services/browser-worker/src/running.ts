import type { Admitted } from "@holdfast/protocol";
import type { Tab } from "./tab.js";

/** A mutation under way: what a stop needs to end it. */
export interface Running {
  readonly work: Admitted;
  readonly abort: AbortController;
  /** Null until the tab is settled. */
  tab: Tab | null;
}
