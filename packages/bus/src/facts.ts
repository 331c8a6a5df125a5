import { type Fact, type FactRecord, fact, wire } from "@holdfast/protocol";
import { z } from "zod";
import { FACTS } from "./assets.js";
import { decode, encode } from "./codec.js";
import { type Bus, manager } from "./connect.js";

const stored = z.object({ workspaceId: z.string(), at: z.string(), fact });

/** Tells a fact. Resolves with its sequence once the server has stored it. */
export async function tell(bus: Bus, workspaceId: string, told: Fact): Promise<number> {
  const body = { workspaceId, at: new Date().toISOString(), fact: told };
  const acknowledged = await bus.js.publish(wire.fact(workspaceId), encode(body));
  return acknowledged.seq;
}

export interface FollowOptions {
  /** Only this project's. */
  readonly workspaceId?: string;
  /** The sequence to begin with; by default the next one that is told. */
  readonly from?: number;
}

/** Calls back for every fact in order, from a sequence on and then as they come. */
export async function followFacts(
  bus: Bus,
  options: FollowOptions,
  seen: (record: FactRecord) => void,
): Promise<{ stop: () => Promise<void> }> {
  const from = options.from ?? (await lastSequence(bus)) + 1;
  const consumer = await bus.js.consumers.get(FACTS, {
    // No deliver_policy here: with one, this client hangs for ever on an ordered consumer.
    opt_start_seq: Math.max(1, from),
    filterSubjects: options.workspaceId ? wire.fact(options.workspaceId) : wire.factPattern,
  });
  const messages = await consumer.consume({
    callback: (message) => seen({ ...decode(stored, message.data), sequence: message.seq }),
  });
  return { stop: async () => void (await messages.close()) };
}

async function lastSequence(bus: Bus): Promise<number> {
  const jsm = await manager(bus);
  const info = await jsm.streams.info(FACTS);
  return info.state.last_seq;
}
