import type { Artifacts, Bucket, Bus, Recordings } from "@holdfast/bus";
import type { LedgerEntry, ProjectSettings, StatePointer, TabTable } from "@holdfast/protocol";
import type { Logger } from "pino";
import type { Driver } from "./driver.js";
import type { Effects } from "./effects.js";
import type { Ends } from "./ends.js";
import type { History } from "./history.js";
import type { InLine } from "./in-line.js";
import type { Memory } from "./memory.js";
import type { Orders } from "./orders.js";
import type { QuitMark } from "./quit-mark.js";
import type { Restores } from "./restores.js";
import type { RunStore } from "./run-store.js";
import type { Store } from "./store.js";
import type { Views } from "./views.js";
import type { Workers } from "./workers.js";

/** What the handlers of task-control are made of. */
export interface Parts {
  readonly bus: Bus;
  readonly log: Logger;
  readonly store: Store;
  readonly workers: Workers;
  readonly orders: Orders;
  readonly effects: Effects;
  readonly ends: Ends;
  readonly views: Views;
  readonly memory: Memory;
  readonly restores: Restores;
  readonly quitMark: QuitMark;
  readonly recordings: Recordings;
  /** Whether a project is being recorded: then it is served, though nothing is done in it. */
  readonly isRecorded: (workspaceId: string) => boolean;
  readonly runs: RunStore;
  readonly driver: Driver;
  readonly history: History;
  readonly inLine: InLine;
  readonly ledger: Bucket<LedgerEntry>;
  readonly tabs: Bucket<TabTable>;
  readonly settings: Bucket<ProjectSettings>;
  /** Which saved state of a project stands, and where the states lie. Workers write them. */
  readonly statePointers: Bucket<StatePointer>;
  readonly states: Artifacts;
  /** Large things that are handed out, for a day. */
  readonly artifacts: Artifacts;
  /** A new tab id, never given before. */
  readonly mintTab: () => Promise<string>;
  /** Keys the fingerprints of arguments, so that a stored one gives no secret away. */
  readonly fingerprintKey: string;
}
