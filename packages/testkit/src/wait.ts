/** How often `until` looks, in ms: short beside anything that is waited for. */
const LOOK_EVERY_MS = 10;

export interface Until {
  /** After this it throws. */
  readonly deadlineMs: number;
  /** What was waited for, to end the sentence "It did not come to pass within 500 ms: ...". */
  readonly why: string;
}

/**
 * Waits until something can be seen, and gives what was seen. Tests wait with this and with nothing else: a fixed
 * sleep is too long on a fast machine and too short on a slow one.
 */
export async function until<T>(
  look: () => T | Promise<T>,
  { deadlineMs, why }: Until,
): Promise<Exclude<T, false | null | undefined>> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const seen = await look();
    if (isSeen(seen)) return seen;
    if (performance.now() >= end) throw new Error(`It did not come to pass within ${deadlineMs} ms: ${why}`);
    await new Promise<void>((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

function isSeen<T>(value: T): value is Exclude<T, false | null | undefined> {
  return value !== false && value !== null && value !== undefined;
}

/**
 * Watches that something holds for a while: for promises that nothing happens.
 * @throws Error as soon as it does not hold
 */
export async function holds(look: () => boolean | Promise<boolean>, forMs: number, why: string): Promise<void> {
  const end = performance.now() + forMs;
  while (performance.now() < end) {
    if (!(await look())) throw new Error(`It did not hold for ${forMs} ms: ${why}`);
    await new Promise<void>((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
