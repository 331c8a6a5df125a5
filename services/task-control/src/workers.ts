import { type Bus, LEASE_TTL_MS, openLeases, openWorkers, request } from "@holdfast/bus";
import { type Claim, claimed, type Heartbeat, HoldfastError, wire } from "@holdfast/protocol";
import type { ProjectState } from "./core/state.js";
import { WORKER_RETRY_MS, WORKER_WAIT_MS } from "./limits.js";

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
  readonly ensure: (state: ProjectState) => Promise<Holder>;
  readonly list: () => readonly Heartbeat[];
  /** Forgets a holder that turned out not to answer, so that another is sought. */
  readonly forget: (workspaceId: string) => void;
}

interface Seen<T> {
  readonly value: T;
  /** Monotonic ms: leases run out below server 2.11 without a word, so their age is counted here. */
  readonly heardAt: number;
}

export async function watchWorkers(bus: Bus): Promise<Workers> {
  const leases = new Map<string, Seen<Holder>>();
  const workers = new Map<string, Seen<Heartbeat>>();
  await (await openLeases(bus)).watch((workspaceId, entry) => {
    if (entry) leases.set(workspaceId, heard({ ...entry.value, epoch: epochKept(leases, workspaceId, entry) }));
    else leases.delete(workspaceId);
  });
  await (await openWorkers(bus)).watch((workerId, entry) => {
    if (entry) workers.set(workerId, heard(entry.value));
    else workers.delete(workerId);
  });
  const asking = new Map<string, Promise<Holder>>();
  const holder = (workspaceId: string): Holder | null => current(leases, workspaceId);
  return {
    holder,
    list: () => [...workers.keys()].flatMap((id) => current(workers, id) ?? []),
    forget: (workspaceId) => void leases.delete(workspaceId),
    ensure: (state) => {
      const found = holder(state.workspaceId);
      if (found) return Promise.resolve(found);
      const asked = asking.get(state.workspaceId) ?? seek(bus, state).finally(() => asking.delete(state.workspaceId));
      asking.set(state.workspaceId, asked);
      return asked.then((taken) => {
        leases.set(state.workspaceId, heard(taken));
        return taken;
      });
    },
  };
}

/** The epoch is the revision with which the lease was taken; renewing raises the revision, not the epoch. */
function epochKept(
  leases: Map<string, Seen<Holder>>,
  workspaceId: string,
  entry: { value: { workerId: string }; revision: number },
): number {
  const before = leases.get(workspaceId)?.value;
  return before?.workerId === entry.value.workerId ? before.epoch : entry.revision;
}

/** Asks until a worker takes the project: one may be starting. */
async function seek(bus: Bus, state: ProjectState): Promise<Holder> {
  const until = performance.now() + WORKER_WAIT_MS;
  for (;;) {
    try {
      return await claimOnce(bus, state);
    } catch (thrown) {
      const nobody = thrown instanceof HoldfastError && thrown.failure.code === "MCP_NO_WORKER";
      if (!nobody || performance.now() > until) throw thrown;
    }
    await new Promise((resolve) => setTimeout(resolve, WORKER_RETRY_MS));
  }
}

async function claimOnce(bus: Bus, state: ProjectState): Promise<Holder> {
  const { workspaceId, cursor, generation } = state;
  const body: Claim = { workspaceId, cursor, generation, profiles: state.profiles.map((profile) => profile.profileId) };
  const reply = await request(bus, wire.claim, body, { timeoutMs: WORKER_WAIT_MS, nobody: "MCP_NO_WORKER" });
  const parsed = claimed.safeParse(reply);
  if (parsed.success) return parsed.data;
  throw new HoldfastError("MCP_NO_WORKER", "No worker could take the project.", { workspaceId, reply });
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
