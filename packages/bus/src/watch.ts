import type { KV, KvEntry, QueuedIterator } from "nats";
import type { z } from "zod";
import { decodeJson } from "./codec.js";
import type { Bus } from "./connect.js";
import type { Entry } from "./kv.js";
import { FIRST_READ_MS, WATCH_AGAIN_MS, WATCH_RETRY_MS } from "./limits.js";

/** Told of a key: its entry, or null when it was deleted or is gone. */
export type Seen<T> = (key: string, entry: Entry<T> | null) => void;

export interface WatchOptions<T> {
  readonly bus: Bus;
  readonly kv: KV;
  readonly shape: z.ZodType<T>;
  readonly key?: string | undefined;
  readonly seen: Seen<T>;
}

/**
 * Watches a bucket through everything that can happen to the link. The client's own watch may stall after a disconnect
 * without a word, so it is opened anew, and what is there is listed again, whenever the link has come back, when the
 * watch ends by itself, and now and then in any case. Resolves when the first listing is whole.
 */
export async function watchBucket<T>(options: WatchOptions<T>): Promise<{ stop: () => void }> {
  const watching = new Watching(options);
  await watching.open();
  return { stop: () => watching.stop() };
}

class Watching<T> {
  readonly #options: WatchOptions<T>;
  /** The revision of each key as it was last told: a listing tells again only what changed. */
  readonly #known = new Map<string, number>();
  readonly #stopListening: () => void;
  #current: QueuedIterator<KvEntry> | null = null;
  /** Raised by every opening: what an older one still tells counts for nothing. */
  #round = 0;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WatchOptions<T>) {
    this.#options = options;
    this.#stopListening = options.bus.onReconnect(() => this.#again());
  }

  stop(): void {
    this.#stopped = true;
    this.#stopListening();
    clearTimeout(this.#timer);
    this.#current?.stop();
  }

  /** @throws what the server says when the watch cannot be opened */
  async open(): Promise<void> {
    this.#round += 1;
    const round = this.#round;
    this.#current?.stop();
    this.#schedule(WATCH_AGAIN_MS);
    const { kv, key } = this.#options;
    const listing = new Listing();
    const iterator = await kv.watch({ ...(key ? { key } : {}), initializedFn: listing.complete });
    if (this.#stopped || round !== this.#round) return iterator.stop();
    this.#current = iterator;
    listing.expects(iterator.getReceived());
    // It ended with an error or without one: it is opened anew either way, unless somebody ended it.
    const again = (): void => {
      if (round === this.#round && !this.#stopped) this.#schedule(WATCH_RETRY_MS);
    };
    this.#follow(iterator, listing, round).then(again, again);
    if (await listing.whole()) this.#forgetMissing(listing.keys, round);
  }

  #again(): void {
    if (this.#stopped) return;
    this.open().catch(() => this.#schedule(WATCH_RETRY_MS));
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#again(), ms);
    // A process that has nothing else to do may end.
    this.#timer.unref();
  }

  async #follow(iterator: QueuedIterator<KvEntry>, listing: Listing, round: number): Promise<void> {
    for await (const entry of iterator) {
      if (round !== this.#round) return;
      this.#tell(entry);
      listing.heard(entry.key);
    }
  }

  #tell({ key, revision, operation, value }: KvEntry): void {
    if ((this.#known.get(key) ?? 0) >= revision) return;
    this.#known.set(key, revision);
    const { seen, shape } = this.#options;
    const read = operation === "PUT" ? shape.safeParse(readJson(value)) : null;
    // What has another shape was written by another version of us, and is nothing to this one.
    seen(key, read?.success ? { value: read.data, revision } : null);
  }

  /** What was known and is not listed any more went while nobody listened. */
  #forgetMissing(listed: ReadonlySet<string>, round: number): void {
    if (round !== this.#round) return;
    for (const key of [...this.#known.keys()]) {
      if (listed.has(key)) continue;
      this.#known.delete(key);
      this.#options.seen(key, null);
    }
  }
}

function readJson(value: Uint8Array): unknown {
  try {
    return decodeJson(value);
  } catch (thrown) {
    return thrown;
  }
}

/** Knows when all that was there has been told. */
class Listing {
  readonly keys = new Set<string>();
  #expected: number | null = null;
  #told = 0;
  #complete = false;
  #settle: (whole: boolean) => void = () => undefined;
  readonly #whole = new Promise<boolean>((resolve) => {
    this.#settle = resolve;
  });

  /** The client says so in its place among the entries, or at once when all of them have arrived, before any is told. */
  readonly complete = (): void => {
    this.#complete = true;
    this.#check();
  };

  expects(received: number): void {
    this.#expected = received;
    this.#check();
  }

  heard(key: string): void {
    this.keys.add(key);
    this.#told += 1;
    this.#check();
  }

  /** False when it is not whole in time: then nothing may be taken to be missing. */
  whole(): Promise<boolean> {
    const timer = setTimeout(() => this.#settle(false), FIRST_READ_MS);
    return this.#whole.finally(() => clearTimeout(timer));
  }

  #check(): void {
    if (this.#complete && this.#expected !== null && this.#told >= this.#expected) this.#settle(true);
  }
}
