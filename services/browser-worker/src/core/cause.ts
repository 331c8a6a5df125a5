/** An operation's work in a tab; times in ms since the epoch. */
export interface TabWork<T> {
  readonly work: { readonly operationId: string };
  /** Null until it is settled. */
  readonly tab: T | null;
  readonly begunAt: number;
  readonly doneAt: number | null;
}

/**
 * The operation whose doing it is that something was done in a tab at that time; null for a person's or the page's own.
 * What a page tells travels on another way than the answer of the command that did it, and may come after the end of the
 * operation, or in the next one's time: so the one before is asked first.
 */
export function causeOf<T>(
  { running, ranBefore }: { readonly running: TabWork<T> | null; readonly ranBefore: TabWork<T> | null },
  tab: T,
  at: number,
): string | null {
  const wasBefore =
    ranBefore?.tab === tab && ranBefore.begunAt <= at && ranBefore.doneAt !== null && at <= ranBefore.doneAt;
  const by = wasBefore ? ranBefore : running;
  return by && (by.tab === tab || by.tab === null) ? by.work.operationId : null;
}
