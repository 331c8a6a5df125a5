import type { Bucket } from "./kv.js";

/** Numbers taken at a time: few enough that a restart leaves small gaps, enough that a tab seldom waits for the store. */
const BLOCK = 16;

/**
 * Mints numbers that no process will ever mint again, in blocks reserved by compare-and-set.
 * A block that was not used up when its process ended is never used: an id is never reused.
 */
export function mintFrom(counters: Bucket<number>, key: string): () => Promise<number> {
  let next = 0;
  let end = 0;
  let reserving: Promise<void> | null = null;
  const reserve = async (): Promise<void> => {
    const start = await reserveBlock(counters, key);
    next = start;
    end = start + BLOCK;
  };
  return async () => {
    while (next === end) {
      reserving ??= reserve().finally(() => {
        reserving = null;
      });
      await reserving;
    }
    next += 1;
    return next - 1;
  };
}

async function reserveBlock(counters: Bucket<number>, key: string): Promise<number> {
  for (;;) {
    const entry = await counters.get(key);
    const start = entry?.value ?? 1;
    const won = entry
      ? await counters.update(key, start + BLOCK, entry.revision)
      : await counters.create(key, start + BLOCK);
    // Losing means that another process won, so the loop makes progress as a whole.
    if (won !== null) return start;
  }
}
