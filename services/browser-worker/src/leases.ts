import { type Bucket, type Bus, openLeases } from "@holdfast/bus";
import { HoldfastError, type Lease } from "@holdfast/protocol";
import type { Logger } from "pino";
import { FENCE_AFTER_MS, RENEW_EVERY_MS } from "./limits.js";

interface Held {
  revision: number;
  /** Monotonic ms of the last renewal that was asked for and granted. */
  renewedAt: number;
}

/** The projects that this worker may act for. */
export interface Leases {
  /** The epoch if it was granted, else who has it. */
  readonly take: (workspaceId: string) => Promise<{ epoch: number } | { holder: Lease & { epoch: number } }>;
  readonly giveBack: (workspaceId: string) => Promise<void>;
  readonly stop: () => void;
}

/**
 * Renews what is held. A lease that cannot be renewed in time is fenced, while nobody else can have it yet:
 * a click cannot be taken back, so the old holder stops before the new one begins.
 */
export async function openLeaseKeeper(
  bus: Bus,
  self: Lease,
  log: Logger,
  fence: (workspaceId: string) => void,
): Promise<Leases> {
  const bucket = await openLeases(bus);
  const held = new Map<string, Held>();
  const lose = (workspaceId: string): void => {
    held.delete(workspaceId);
    log.error({ workspaceId }, "the lease was lost; the project is fenced");
    fence(workspaceId);
  };
  const timer = setInterval(() => {
    for (const [workspaceId, lease] of held) {
      if (performance.now() - lease.renewedAt > FENCE_AFTER_MS) lose(workspaceId);
      else void renew(bucket, workspaceId, { self, held, lose, log });
    }
  }, RENEW_EVERY_MS);
  return {
    take: async (workspaceId) => {
      const askedAt = performance.now();
      const revision = await bucket.create(workspaceId, self);
      if (revision === null) return { holder: await holderOf(bucket, workspaceId) };
      held.set(workspaceId, { revision, renewedAt: askedAt });
      return { epoch: revision };
    },
    giveBack: async (workspaceId) => {
      const lease = held.get(workspaceId);
      held.delete(workspaceId);
      if (lease) await bucket.remove(workspaceId, lease.revision);
    },
    stop: () => clearInterval(timer),
  };
}

interface Keeper {
  readonly self: Lease;
  readonly held: Map<string, Held>;
  readonly lose: (workspaceId: string) => void;
  readonly log: Logger;
}

async function renew(bucket: Bucket<Lease>, workspaceId: string, { self, held, lose, log }: Keeper): Promise<void> {
  const lease = held.get(workspaceId);
  if (!lease) return;
  const askedAt = performance.now();
  try {
    const revision = await bucket.update(workspaceId, self, lease.revision);
    if (held.get(workspaceId) !== lease) return;
    if (revision === null) return lose(workspaceId);
    lease.revision = revision;
    lease.renewedAt = askedAt;
  } catch (thrown) {
    // The bus is away; it may come back before the lease has run out, and if not the next round fences.
    log.warn({ workspaceId, err: thrown }, "a lease was not renewed");
  }
}

async function holderOf(bucket: Bucket<Lease>, workspaceId: string): Promise<Lease & { epoch: number }> {
  const entry = await bucket.get(workspaceId);
  if (entry) return { ...entry.value, epoch: entry.revision };
  throw new HoldfastError("MCP_NO_WORKER", "The lease changes hands at this moment.", { workspaceId });
}
