import type { SavedEntry, StatePointer } from "@holdfast/protocol";

/** How a session came by its state, which says what its own saves may take the place of. */
export interface Origin {
  /** What was loaded is what was saved last, or nothing was saved: nothing is lost by a save. */
  readonly trusted: boolean;
  /** The current state could not be read, and the one before it was taken. */
  readonly skippedCurrent: boolean;
}

export const FIRST: StatePointer = { epoch: 0, current: null, previous: null, aside: null };

/** A worker takes the project: whoever holds an older epoch can switch nothing from here on. */
export function adopted(pointer: StatePointer, epoch: number): StatePointer {
  return { ...pointer, epoch };
}

/**
 * What stands after a save. A session that lost something on its way here saves aside: what it has takes the place of
 * nothing that was verified.
 * @returns null for a worker of an older epoch: it may switch nothing
 */
export function switched(
  pointer: StatePointer,
  saved: SavedEntry,
  by: { readonly epoch: number; readonly origin: Origin },
): StatePointer | null {
  if (pointer.epoch > by.epoch) return null;
  const { epoch, origin } = by;
  if (!origin.trusted) return { ...pointer, epoch, aside: saved };
  const previous = origin.skippedCurrent ? pointer.previous : (pointer.current ?? pointer.previous);
  return { epoch, current: saved, previous, aside: null };
}

/** The objects that nothing points at any more. */
export function dropped(before: StatePointer, after: StatePointer): string[] {
  const kept = new Set(named(after));
  return named(before).filter((name) => !kept.has(name));
}

function named({ current, previous, aside }: StatePointer): string[] {
  return [current, previous, aside].flatMap((entry) => (entry ? [entry.name] : []));
}

/** States of one epoch take turns at so many names: the three that stand, and the one that is being written. */
export const SLOTS = 4;

/** A name that nothing that stands has: beside it is written, and half of it is nobody's. */
export function freeName(workspaceId: string, epoch: number, pointer: StatePointer): string {
  const taken = new Set(named(pointer));
  const free = slotNames(workspaceId, epoch).find((name) => !taken.has(name));
  if (free === undefined) throw new Error(`${SLOTS} names of the epoch ${epoch} are taken by three states.`);
  return free;
}

/** All names that an epoch can have written to. */
export function slotNames(workspaceId: string, epoch: number): string[] {
  return Array.from({ length: SLOTS }, (_, slot) => `${workspaceId}/state-${epoch}-${slot}`);
}
