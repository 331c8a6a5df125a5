import { heartbeat, lease, ledgerEntry, projectSettings, statePointer, tabTable, wire } from "@holdfast/protocol";
import { DiscardPolicy, nanos, RetentionPolicy, StorageType, type StreamConfig } from "nats";
import { z } from "zod";
import { type Bus, manager } from "./connect.js";
import { created } from "./creating.js";
import { openBucket } from "./kv.js";
import * as limits from "./limits.js";
import { hasCode } from "./server-code.js";

/** The streams, by name. Whatever is kept is named here and nowhere else. */
export const MUTATIONS = "HF_MUTATIONS";
export const FACTS = "HF_FACTS";
export const HISTORY = "HF_HISTORY";

const STREAMS: readonly Partial<StreamConfig>[] = [
  {
    name: MUTATIONS,
    subjects: [wire.mutationPattern],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    discard_new_per_subject: true,
    max_msgs_per_subject: limits.QUEUE_LENGTH_MAX + 1,
    duplicate_window: nanos(limits.DUPLICATE_WINDOW_MS),
  },
  {
    name: FACTS,
    subjects: [wire.factPattern],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    max_age: nanos(limits.FACT_TTL_MS),
    max_msgs_per_subject: limits.FACTS_PER_PROJECT_MAX,
  },
  {
    name: HISTORY,
    subjects: [wire.historyPattern],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    max_age: nanos(limits.HISTORY_TTL_MS),
    max_msgs_per_subject: limits.HISTORY_PER_PROJECT_MAX,
    duplicate_window: nanos(limits.DUPLICATE_WINDOW_MS),
  },
];

/** Creates what is missing; safe to call from every replica at once. */
export async function provision(bus: Bus): Promise<void> {
  const jsm = await manager(bus);
  for (const config of STREAMS) {
    await created(() => jsm.streams.add(config)).catch((thrown: unknown) => {
      if (!hasCode(thrown, STREAM_NAME_IN_USE)) throw thrown;
    });
  }
}

/** The server's code for a stream that is there with another configuration: it is kept, an upgrade is a deliberate act. */
const STREAM_NAME_IN_USE = 10_058;

export const openLedger = (bus: Bus) =>
  openBucket(bus, { name: "HF_LEDGER", ttlMs: limits.LEDGER_TTL_MS }, ledgerEntry);
export const openLeases = (bus: Bus) => openBucket(bus, { name: "HF_LEASES", ttlMs: limits.LEASE_TTL_MS }, lease);
export const openTabTables = (bus: Bus) => openBucket(bus, { name: "HF_TABS" }, tabTable);
export const openStatePointers = (bus: Bus) => openBucket(bus, { name: "HF_STATE_POINTERS" }, statePointer);
export const openSettings = (bus: Bus) => openBucket(bus, { name: "HF_SETTINGS" }, projectSettings);
export const openWorkers = (bus: Bus) => openBucket(bus, { name: "HF_WORKERS", ttlMs: limits.LEASE_TTL_MS }, heartbeat);
export const openCounters = (bus: Bus) => openBucket(bus, { name: "HF_COUNTERS" }, z.int());

/** The ledger's key for an operation of a project. */
export function ledgerKey(workspaceId: string, operationId: string): string {
  return `${workspaceId}.${operationId}`;
}
