import type { Artifacts, Bus, Sealing } from "@holdfast/bus";
import type { Logger } from "pino";
import type { BrowserHost } from "./browser.js";
import type { Leases } from "./leases/leases.js";
import type { RecordingKeeper } from "./recording/keeper.js";
import type { Settings } from "./settings.js";
import type { States } from "./state/states.js";
import type { TabTableKeeper } from "./state/tab-table.js";
import type { MutationParts } from "./work/mutation.js";

/** What a worker stands on. */
export interface WorkerParts {
  readonly bus: Bus;
  /** Stop comes on a connection and in an account of its own. */
  readonly stopBus: Bus;
  readonly log: Logger;
  readonly workerId: string;
  readonly host: BrowserHost;
  readonly leases: Leases;
  readonly ledger: MutationParts["ledger"];
  readonly artifacts: Artifacts;
  readonly states: States;
  readonly tables: TabTableKeeper;
  readonly settings: Settings;
  readonly recordings: RecordingKeeper;
  readonly mintTab: () => Promise<string>;
  readonly stopKey: string;
  /** Opens what calls carried hidden through the queue. */
  readonly sealing: Sealing;
  readonly onShutdown: () => void;
}
