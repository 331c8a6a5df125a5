/** A point in time on both clocks: the monotonic one may stand while a machine sleeps, and the other one may be set. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export function moment(): Moment {
  return { monotonic: performance.now(), wall: Date.now() };
}

/** ms that have passed, by the clock that says more: whoever must not be late believes the one that says he is. */
export function msSince({ monotonic, wall }: Moment): number {
  return Math.max(performance.now() - monotonic, Date.now() - wall);
}
