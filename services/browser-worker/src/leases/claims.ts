import { type Bus, type Incoming, serve } from "@holdfast/bus";
import { type Claim, type Claimed, claim, type Failure, HoldfastError, wire } from "@holdfast/protocol";
import type { Leases } from "./leases.js";

export interface ClaimParts {
  readonly bus: Bus;
  readonly workerId: string;
  readonly leases: Leases;
  readonly onFailure: (failure: Failure, incoming: Incoming) => void;
  /** Begins to serve a project whose lease this worker has. */
  readonly begin: (asked: Claim, epoch: number) => Promise<void>;
}

export interface Claims {
  /** Ends once a project that is being taken is there, or could not be taken. */
  readonly taking: (workspaceId: string) => Promise<void>;
  /** From now on this worker takes no project. */
  readonly refuse: () => void;
}

/** Any worker may answer a claim; one that is addressed to this worker alone comes on a subject of its own. */
const QUEUE = "browser-worker";

/** Takes the leases of projects that task-control asks it to serve. */
export function serveClaims(parts: ClaimParts): Claims {
  const { bus, workerId, onFailure } = parts;
  // Their lease is there, so task-control sends what is read; they are not yet.
  const underWay = new Map<string, Promise<void>>();
  const take = (body: unknown): Promise<Claimed> => {
    const asked = claim.parse(body);
    const taken = takeOne(parts, asked);
    const over = (): void => {
      if (underWay.get(asked.workspaceId) === settled) underWay.delete(asked.workspaceId);
    };
    const settled = taken.then(over, over);
    underWay.set(asked.workspaceId, settled);
    return taken;
  };
  const served = [
    serve(bus, { pattern: wire.claim, queue: QUEUE, onFailure }, take),
    serve(bus, { pattern: wire.worker(workerId, "claim"), onFailure }, take),
  ];
  return {
    taking: async (workspaceId) => underWay.get(workspaceId),
    refuse: () => {
      for (const subscription of served) subscription.unsubscribe();
    },
  };
}

async function takeOne({ workerId, leases, begin }: ClaimParts, asked: Claim): Promise<Claimed> {
  const { workspaceId } = asked;
  checkFresh(asked);
  const taken = await leases.take(workspaceId);
  if ("holder" in taken) {
    const { holder } = taken;
    throw new HoldfastError("MCP_NO_WORKER", "Another worker holds the project.", { workspaceId, holder });
  }
  try {
    checkFresh(asked);
    await begin(asked, taken.epoch);
  } catch (thrown) {
    // A lease that nobody serves under would be renewed for ever, and nobody else could have it.
    await leases.giveBack(workspaceId);
    throw thrown;
  }
  return { workerId, pid: process.pid, epoch: taken.epoch };
}

/**
 * A claim that lay about, because this worker was stopped or cut off, tells of a project as it was: it is not taken up.
 * @throws HoldfastError `MCP_NO_WORKER`
 */
function checkFresh({ expiresAt, workspaceId }: Claim): void {
  if (expiresAt >= Date.now()) return;
  throw new HoldfastError("MCP_NO_WORKER", "The claim came too late.", { workspaceId });
}
