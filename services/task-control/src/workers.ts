import { type Bucket, type Bus, LEASE_TTL_MS, openLeases, openWorkers, pause, request } from "@holdfast/bus";
import { asFailure, type Claim, claimed, type Heartbeat, HoldfastError, type Lease, wire } from "@holdfast/protocol";
import { chooseWorker } from "./core/choose.js";
import type { ProjectState } from "./core/state.js";
import { CLAIM_MS, SILENT_MS_MAX, WORKER_RETRY_MS, WORKER_WAIT_MS } from "./limits.js";

export interface Holder {
  readonly workerId: string;
  readonly pid: number;
  readonly epoch: number;
}

/** Who serves which project. Leases are the truth; this is what was last heard of them. */
export interface Workers {
  /** The lease's holder as far as is known; a lease that was not renewed in time counts for nothing. */
  readonly holder: (workspaceId: string) => Holder | null;
  /** The holder; if there is none, a worker is asked to take the project. @throws HoldfastError `MCP_NO_WORKER` */
  readonly ensure: (state: Pick<ProjectState, "workspaceId">) => Promise<Holder>;
  readonly list: () => readonly Heartbeat[];
  /** Forgets a holder that turned out not to answer, so that another is sought. */
  readonly forget: (workspaceId: string) => void;
  /** Somebody saw the worker's process end: the projects that it held are given up at once, and told. */
  readonly gone: (workerId: string) => Promise<string[]>;
}

interface Seen<T> {
  readonly value: T;
  /** Monotonic ms: leases run out below server 2.11 without a word, so their age is counted here. */
  readonly heardAt: number;
}

/** @param fresh the stored state of a project: a claim that told an older one would begin where the project was before */
export async function watchWorkers(bus: Bus, fresh: (workspaceId: string) => Promise<ProjectState>): Promise<Workers> {
  const leases = new Map<string, Seen<Holder>>();
  const workers = new Map<string, Seen<Heartbeat>>();
  const [ofLeases, ofWorkers] = await Promise.all([openLeases(bus), openWorkers(bus)]);
  await ofLeases.watch((workspaceId, entry) => {
    if (entry) leases.set(workspaceId, heard({ ...entry.value, epoch: entry.value.epoch ?? entry.revision }));
    else leases.delete(workspaceId);
  });
  await ofWorkers.watch((workerId, entry) => {
    if (entry) workers.set(workerId, heard(entry.value));
    else workers.delete(workerId);
  });
  const asking = new Map<string, Promise<Holder>>();
  const holder = (workspaceId: string): Holder | null => current(leases, workspaceId);
  return {
    holder,
    list: () => [...workers.keys()].flatMap((id) => current(workers, id) ?? []),
    forget: (workspaceId) => void leases.delete(workspaceId),
    ensure: ({ workspaceId }) => {
      const found = holder(workspaceId);
      if (found) return Promise.resolve(found);
      const choose = (tried: readonly string[]): string | null =>
        chooseWorker(candidates(workers), tried, SILENT_MS_MAX);
      const seeking = { bus, fresh, holder, choose };
      const asked = asking.get(workspaceId) ?? seek(seeking, workspaceId).finally(() => asking.delete(workspaceId));
      asking.set(workspaceId, asked);
      return asked.then((taken) => {
        if (!holder(workspaceId)) leases.set(workspaceId, heard(taken));
        return taken;
      });
    },
    gone: async (workerId) => {
      const held = [...leases].filter(([, { value }]) => value.workerId === workerId);
      await Promise.all(held.map(([workspaceId]) => giveUp(ofLeases, workspaceId, workerId)));
      for (const [workspaceId] of held) leases.delete(workspaceId);
      await ofWorkers.remove(workerId);
      workers.delete(workerId);
      return held.map(([workspaceId]) => workspaceId);
    },
  };
}

/** By compare-and-set: a lease that somebody else has by now is not touched. A worker's id is never used again. */
async function giveUp(leases: Bucket<Lease>, workspaceId: string, workerId: string): Promise<void> {
  const entry = await leases.get(workspaceId);
  if (entry?.value.workerId === workerId) await leases.remove(workspaceId, entry.revision);
}

interface Seeking {
  readonly bus: Bus;
  readonly fresh: (workspaceId: string) => Promise<ProjectState>;
  readonly holder: (workspaceId: string) => Holder | null;
  readonly choose: (tried: readonly string[]) => string | null;
}

/** Asks until a worker takes the project: one may be starting, and the one that was asked may not answer. */
async function seek({ bus, fresh, holder, choose }: Seeking, workspaceId: string): Promise<Holder> {
  const until = performance.now() + WORKER_WAIT_MS;
  const tried: string[] = [];
  for (;;) {
    const workerId = choose(tried);
    if (workerId) tried.push(workerId);
    const taken = holder(workspaceId) ?? (await claimOnce(bus, await fresh(workspaceId), workerId));
    if (taken) return taken;
    if (performance.now() > until) {
      const told = `No browser worker took the project within ${WORKER_WAIT_MS} ms.`;
      throw new HoldfastError("MCP_NO_WORKER", told, { workspaceId, waitedMs: WORKER_WAIT_MS });
    }
    await pause(WORKER_RETRY_MS);
  }
}

const NOBODY_YET: readonly string[] = ["MCP_NO_WORKER", "MCP_DEADLINE"];

/** Null when nobody took it yet. With no worker known to be alive whoever hears it may take it. */
async function claimOnce(bus: Bus, state: ProjectState, workerId: string | null): Promise<Holder | null> {
  const subject = workerId === null ? wire.claim : wire.worker(workerId, "claim");
  try {
    const reply = await request(bus, subject, claimOf(state), { timeoutMs: CLAIM_MS, nobody: "MCP_NO_WORKER" });
    const parsed = claimed.safeParse(reply);
    return parsed.success ? parsed.data : null;
  } catch (thrown) {
    if (NOBODY_YET.includes(asFailure(thrown).code)) return null;
    throw thrown;
  }
}

function claimOf({ workspaceId, cursor, generation, profiles }: ProjectState): Claim {
  const checks = profiles.flatMap(({ profileId, loginCheck }) =>
    loginCheck ? [[profileId, loginCheck] as const] : [],
  );
  return {
    workspaceId,
    cursor,
    generation,
    profiles: profiles.map((profile) => profile.profileId),
    loginChecks: Object.fromEntries(checks),
    expiresAt: Date.now() + CLAIM_MS,
  };
}

function candidates(workers: ReadonlyMap<string, Seen<Heartbeat>>) {
  const now = performance.now();
  return [...workers.values()].map(({ value, heardAt }) => ({ ...value, silentMs: now - heardAt }));
}

function heard<T>(value: T): Seen<T> {
  return { value, heardAt: performance.now() };
}

function current<T>(map: Map<string, Seen<T>>, key: string): T | null {
  const seen = map.get(key);
  if (!seen) return null;
  if (performance.now() - seen.heardAt <= LEASE_TTL_MS) return seen.value;
  map.delete(key);
  return null;
}
