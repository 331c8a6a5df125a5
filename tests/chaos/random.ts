/** The one source of chance of a run: the same seed gives the same plan. */
export interface Random {
  /** From 0 up to 1, without it. */
  readonly next: () => number;
  /** A whole number from `low` to `high`, both of them among it. */
  readonly whole: (low: number, high: number) => number;
  readonly pick: <T>(some: readonly T[]) => T;
}

/** mulberry32: 32 bits of state, good enough to choose faults by and short enough to read. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const whole = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  const pick = <T>(some: readonly T[]): T => {
    const [first] = some;
    if (first === undefined) throw new Error("There is nothing to pick from.");
    return some[whole(0, some.length - 1)] ?? first;
  };
  return { next, whole, pick };
}
