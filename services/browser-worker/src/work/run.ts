import type { Artifacts } from "@holdfast/bus";
import type { Admitted } from "@holdfast/protocol";
import type { Project } from "../project.js";
import type { Tab } from "../tabs/tab.js";

/** One operation as it is run: where, and what ends it. */
export interface Run {
  readonly project: Project;
  readonly work: Admitted;
  readonly stop: AbortSignal;
  readonly artifacts: Artifacts;
  /** The tab is settled: from here on a stop can end its work. */
  readonly settled: (tab: Tab) => void;
}
