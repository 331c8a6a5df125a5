import { type Bus, connectBus, openLedger } from "@holdfast/bus";
import type { LedgerEntry } from "@holdfast/protocol";
import type { TestStack } from "@holdfast/testkit";

/** A state of an operation in the ledger, in the order in which the store took them. */
export interface Seen {
  readonly workspaceId: string;
  readonly revision: number;
  readonly entry: LedgerEntry;
}

/** Reads the ledger beside everything else, as it is written. */
export interface Witness {
  readonly seen: readonly Seen[];
  /** The last state of each operation, as the store has it now. */
  readonly last: () => Promise<ReadonlyMap<string, Seen>>;
  readonly close: () => Promise<void>;
}

export async function witnessOf({ endpoint }: TestStack): Promise<Witness> {
  const bus: Bus = await connectBus({ url: endpoint.natsUrl, name: "witness" });
  const ledger = await openLedger(bus);
  const seen: Seen[] = [];
  const watching = await ledger.watch((key, entry) => {
    if (entry) seen.push(seenOf(key, entry));
  });
  return {
    seen,
    last: async () => {
      const last = new Map<string, Seen>();
      for (const key of await ledger.written()) {
        const entry = await ledger.get(key);
        if (entry) last.set(entry.value.operationId, seenOf(key, entry));
      }
      return last;
    },
    close: async () => {
      watching.stop();
      await bus.nc.close();
    },
  };
}

function seenOf(key: string, { value, revision }: { value: LedgerEntry; revision: number }): Seen {
  return { workspaceId: key.slice(0, key.indexOf(".")), revision, entry: value };
}

/** Where an older epoch wrote after a newer one: two workers acted for one project. What is called unknown keeps the epoch of who began it. */
export function epochsGoneBack(seen: readonly Seen[]): string[] {
  const wrong: string[] = [];
  const highest = new Map<string, number>();
  for (const { workspaceId, entry } of [...seen].sort((a, b) => a.revision - b.revision)) {
    // What is ended without a worker bears no epoch.
    if (entry.outcome === "unknown" || entry.epoch === 0) continue;
    const high = highest.get(workspaceId) ?? 0;
    if (entry.epoch < high)
      wrong.push(`${workspaceId}: ${entry.operationId} is ${entry.outcome} by epoch ${entry.epoch} after ${high}`);
    highest.set(workspaceId, Math.max(high, entry.epoch));
  }
  return wrong;
}
