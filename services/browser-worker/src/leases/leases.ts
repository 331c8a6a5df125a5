import { type Bucket, type Bus, openLeases } from "@holdfast/bus";
import { HoldfastError, type Lease } from "@holdfast/protocol";
import type { Logger } from "pino";
import { FENCE_AFTER_MS, FENCE_LOOK_MS, RENEW_EVERY_MS } from "../limits.js";
import { type Moment, moment, msSince } from "../moment.js";

interface Held {
  readonly epoch: number;
  revision: number;
  /** When the last renewal was asked for that was granted. */
  renewedAt: Moment;
  renewing: boolean;
}

/** The projects that this worker may act for. */
export interface Leases {
  /** The epoch if it was granted, else who has it. */
  readonly take: (workspaceId: string) => Promise<{ epoch: number } | { holder: Lease & { epoch: number } }>;
  /**
   * Whether this worker may act for the project at this very moment. Looked at before each action and each write: a process
   * that was stopped for a while wakes up in the middle of something, before any of its timers.
   */
  readonly holds: (workspaceId: string, epoch: number) => boolean;
  readonly giveBack: (workspaceId: string) => Promise<void>;
  /** The longest time that any lease has gone without a renewal; null when none is held. */
  readonly oldestMs: () => number | null;
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
    if (!held.delete(workspaceId)) return;
    log.error({ workspaceId }, "the lease was lost; the project is fenced");
    fence(workspaceId);
  };
  const keeper: Keeper = { bucket, self, held, lose, log };
  const isLate = (lease: Held): boolean => msSince(lease.renewedAt) > FENCE_AFTER_MS;
  const looking = setInterval(() => {
    for (const [workspaceId, lease] of held) if (isLate(lease)) lose(workspaceId);
  }, FENCE_LOOK_MS);
  const renewing = setInterval(() => {
    for (const workspaceId of held.keys()) void renew(keeper, workspaceId);
  }, RENEW_EVERY_MS);
  return {
    take: (workspaceId) => take(keeper, workspaceId),
    holds: (workspaceId, epoch) => {
      const lease = held.get(workspaceId);
      if (lease && isLate(lease)) lose(workspaceId);
      return lease?.epoch === epoch && held.has(workspaceId);
    },
    giveBack: async (workspaceId) => {
      const lease = held.get(workspaceId);
      held.delete(workspaceId);
      if (!lease || (await bucket.remove(workspaceId, lease.revision))) return;
      // A renewal was under way and has overtaken it: left there, the lease would name a worker that is gone.
      const entry = await bucket.get(workspaceId);
      if (entry?.value.workerId === self.workerId) await bucket.remove(workspaceId, entry.revision);
    },
    oldestMs: () => (held.size === 0 ? null : Math.max(...[...held.values()].map((lease) => msSince(lease.renewedAt)))),
    stop: () => {
      clearInterval(looking);
      clearInterval(renewing);
    },
  };
}

interface Keeper {
  readonly bucket: Bucket<Lease>;
  readonly self: Lease;
  readonly held: Map<string, Held>;
  readonly lose: (workspaceId: string) => void;
  readonly log: Logger;
}

async function take(keeper: Keeper, workspaceId: string): ReturnType<Leases["take"]> {
  const { bucket, self, held } = keeper;
  const renewedAt = moment();
  const epoch = (await bucket.create(workspaceId, self)) ?? (await takeOwn(keeper, workspaceId));
  if (epoch === null) return { holder: await holderOf(bucket, workspaceId) };
  held.set(workspaceId, { epoch, revision: epoch, renewedAt, renewing: false });
  return { epoch };
}

/** A lease in our name that we do not hold: the answer to an earlier take was lost. */
async function takeOwn({ bucket, self, held }: Keeper, workspaceId: string): Promise<number | null> {
  if (held.has(workspaceId)) return null;
  const entry = await bucket.get(workspaceId);
  return entry?.value.workerId === self.workerId ? bucket.update(workspaceId, self, entry.revision) : null;
}

async function renew(keeper: Keeper, workspaceId: string): Promise<void> {
  const { bucket, self, held, lose, log } = keeper;
  const lease = held.get(workspaceId);
  // A second renewal beside one that is not answered yet would find its revision gone, and take that for a loss.
  if (!lease || lease.renewing) return;
  lease.renewing = true;
  const askedAt = moment();
  try {
    const value = { ...self, epoch: lease.epoch };
    const revision =
      (await bucket.update(workspaceId, value, lease.revision)) ?? (await ownRevision(keeper, workspaceId, lease));
    if (held.get(workspaceId) !== lease) return;
    if (revision === null) return lose(workspaceId);
    lease.revision = revision;
    lease.renewedAt = askedAt;
  } catch (thrown) {
    // The bus is away; it may come back before the lease has run out, and if not it is fenced.
    log.warn({ workspaceId, err: thrown }, "a lease was not renewed");
  } finally {
    lease.renewing = false;
  }
}

/** A renewal whose answer was lost has changed the revision: the lease is still ours, and the epoch in it says so. */
async function ownRevision({ bucket, self }: Keeper, workspaceId: string, { epoch }: Held): Promise<number | null> {
  const entry = await bucket.get(workspaceId);
  const ours = entry?.value.workerId === self.workerId && (entry.value.epoch ?? entry.revision) === epoch;
  return ours && entry ? bucket.update(workspaceId, { ...self, epoch }, entry.revision) : null;
}

async function holderOf(bucket: Bucket<Lease>, workspaceId: string): Promise<Lease & { epoch: number }> {
  const entry = await bucket.get(workspaceId);
  if (entry) return { ...entry.value, epoch: entry.value.epoch ?? entry.revision };
  throw new HoldfastError("MCP_NO_WORKER", "The lease changes hands at this moment.", { workspaceId });
}
