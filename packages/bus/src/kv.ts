import { HoldfastError } from "@holdfast/protocol";
import { StorageType } from "nats";
import type { z } from "zod";
import { decode, encode } from "./codec.js";
import { type Bus, manager } from "./connect.js";
import { created } from "./creating.js";
import { hasCode } from "./server-code.js";
import { type Seen, watchBucket } from "./watch.js";

/** The server's code for a compare-and-set that lost. */
const WRONG_LAST_SEQUENCE = 10_071;

export interface Entry<T> {
  readonly value: T;
  /** Grows with every write; a compare-and-set names the one it read. */
  readonly revision: number;
}

/** A bucket of values of one shape. Reads come from the stream's leader, so that a write is seen by the next read. */
export interface Bucket<T> {
  readonly get: (key: string) => Promise<Entry<T> | null>;
  /** The new revision, or null if the key exists. */
  readonly create: (key: string, value: T) => Promise<number | null>;
  /** The new revision, or null if somebody else wrote since `revision`. */
  readonly update: (key: string, value: T, revision: number) => Promise<number | null>;
  /** False if somebody else wrote since `revision`. */
  readonly remove: (key: string, revision?: number) => Promise<boolean>;
  /** Keys that are there; one that is written meanwhile may come twice, or be missed. */
  readonly keys: (filter?: string) => Promise<string[]>;
  /** Every key that was ever written, each once, exactly as of now: what was removed since is among them. */
  readonly written: () => Promise<string[]>;
  /**
   * Calls back for what is there, then for every change; null for what was deleted. Not told of expiry.
   * Resolves when what is there has been told; goes on through losses of the link.
   */
  readonly watch: (seen: Seen<T>, key?: string) => Promise<{ stop: () => void }>;
}

export interface BucketOptions {
  readonly name: string;
  /** ms after its last write at which an entry goes by itself. */
  readonly ttlMs?: number;
  /** Kept in the server's memory and never on its disk: what is lost with the server, and may be. */
  readonly inMemory?: boolean;
}

export async function openBucket<T>(bus: Bus, options: BucketOptions, shape: z.ZodType<T>): Promise<Bucket<T>> {
  const kv = await created(() =>
    bus.js.views.kv(options.name, {
      history: 1,
      allow_direct: false,
      ...(options.ttlMs ? { ttl: options.ttlMs } : {}),
      ...(options.inMemory ? { storage: StorageType.Memory } : {}),
    }),
  );
  return {
    get: async (key) => {
      const entry = await guarded(kv.get(key));
      if (entry?.operation !== "PUT") return null;
      return { value: decode(shape, entry.value), revision: entry.revision };
    },
    create: (key, value) => unlessLost(kv.create(key, encode(value))),
    update: (key, value, revision) => unlessLost(kv.update(key, encode(value), revision)),
    remove: async (key, revision) => {
      const removed = kv.delete(key, revision === undefined ? {} : { previousSeq: revision });
      return (await unlessLost(removed.then(() => 1))) !== null;
    },
    keys: async (filter) => {
      const keys: string[] = [];
      for await (const key of await guarded(kv.keys(filter))) keys.push(key);
      return keys;
    },
    written: () => guarded(written(bus, options.name)),
    watch: (seen, key) => guarded(watchBucket({ bus, kv, shape, key, seen })),
  };
}

/** The server's own list of the stream's subjects: a listing through a consumer is blurred by what is written meanwhile. */
async function written(bus: Bus, name: string): Promise<string[]> {
  const head = `$KV.${name}.`;
  const { state } = await (await manager(bus)).streams.info(`KV_${name}`, { subjects_filter: `${head}>` });
  return Object.keys(state.subjects ?? {}).map((subject) => subject.slice(head.length));
}

async function unlessLost(write: Promise<number>): Promise<number | null> {
  try {
    return await write;
  } catch (thrown) {
    if (hasCode(thrown, WRONG_LAST_SEQUENCE)) return null;
    throw down(thrown);
  }
}

async function guarded<T>(read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (thrown) {
    throw down(thrown);
  }
}

function down(thrown: unknown): HoldfastError {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new HoldfastError("MCP_BUS_DOWN", `The store did not answer: ${message}`, {}, { cause: thrown });
}
