/** What is known of a project that may want to be saved; monotonic ms. */
export interface Changes {
  /** The first change that is not saved yet; null if there is none. */
  readonly dirtySince: number | null;
  readonly changedAt: number;
  /** When the last save began, also one that failed. */
  readonly savedAt: number;
}

export interface SaveLimits {
  readonly quietMs: number;
  readonly everyMs: number;
  readonly latestMs: number;
}

/**
 * When to save next: once nothing has changed for a while, but not for ever later than the first change, and never more
 * often than so.
 * @returns monotonic ms, or null when there is nothing to save
 */
export function dueAt({ dirtySince, changedAt, savedAt }: Changes, limits: SaveLimits): number | null {
  if (dirtySince === null) return null;
  const quiet = Math.min(changedAt + limits.quietMs, dirtySince + limits.latestMs);
  return Math.max(quiet, savedAt + limits.everyMs);
}
