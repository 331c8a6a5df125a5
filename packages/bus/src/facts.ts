import { type Fact, type FactRecord, fact, wire } from "@holdfast/protocol";
import type { ConsumerMessages } from "nats";
import { z } from "zod";
import { FACTS } from "./assets.js";
import { decode, encode } from "./codec.js";
import { type Bus, manager } from "./connect.js";
import { WATCH_RETRY_MS } from "./limits.js";
import { pause } from "./pause.js";

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

/**
 * Calls back for every fact in order, each once, from a sequence on and then as they come. When the link was lost it goes
 * on where it was: the client's own consumer went with the server.
 */
export async function followFacts(
  bus: Bus,
  options: FollowOptions,
  seen: (record: FactRecord) => void,
): Promise<{ stop: () => Promise<void> }> {
  let next = options.from ?? (await lastSequence(bus)) + 1;
  const once = (record: FactRecord): void => {
    if (record.sequence < next) return;
    next = record.sequence + 1;
    seen(record);
  };
  const over = new AbortController();
  let current = consumeFacts(bus, { ...options, from: next }, once);
  await current;
  const again = async (): Promise<void> => {
    const before = current;
    current = retried(over.signal, () => consumeFacts(bus, { ...options, from: next }, once));
    await (await before).close();
  };
  // What closing the old one says matters no more: its server is gone.
  const stopListening = bus.onReconnect(() => void again().catch(() => undefined));
  return {
    stop: async () => {
      stopListening();
      over.abort();
      await (await current).close();
    },
  };
}

function consumeFacts(
  bus: Bus,
  { workspaceId, from = 1 }: FollowOptions,
  seen: (record: FactRecord) => void,
): Promise<ConsumerMessages> {
  const open = bus.js.consumers.get(FACTS, {
    // No deliver_policy here: with one, this client hangs for ever on an ordered consumer.
    opt_start_seq: Math.max(1, from),
    filterSubjects: workspaceId ? wire.fact(workspaceId) : wire.factPattern,
  });
  return open.then((consumer) =>
    consumer.consume({ callback: (message) => seen({ ...decode(stored, message.data), sequence: message.seq }) }),
  );
}

/** Until it succeeds, or nobody wants it any more. */
async function retried<T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (thrown) {
      if (signal.aborted) throw thrown;
    }
    await pause(WATCH_RETRY_MS, signal);
  }
}

async function lastSequence(bus: Bus): Promise<number> {
  const jsm = await manager(bus);
  const info = await jsm.streams.info(FACTS);
  return info.state.last_seq;
}
