/** A clock that stands until it is told to go on; its timers run in the order of their times. */
export interface SteppedClock {
  /** ms since the epoch. */
  readonly now: () => number;
  /** Runs `callback` once `ms` have passed; the function it gives takes that back. */
  readonly after: (ms: number, callback: () => void) => () => void;
  /** Lets time pass; what is due runs at its own time. */
  readonly advance: (ms: number) => void;
  /** How many timers are set. */
  readonly pending: () => number;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

export function steppedClock(startMs = Date.UTC(2026, 0, 1)): SteppedClock {
  let time = startMs;
  let order = 0;
  const timers = new Set<Timer>();

  const next = (limit: number): Timer | undefined =>
    [...timers].filter((timer) => timer.at <= limit).sort((a, b) => a.at - b.at || a.order - b.order)[0];

  return {
    now: () => time,
    pending: () => timers.size,
    after: (ms, callback) => {
      order += 1;
      const timer = { at: time + ms, order, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance: (ms) => {
      const limit = time + ms;
      for (let due = next(limit); due !== undefined; due = next(limit)) {
        timers.delete(due);
        time = due.at;
        due.callback();
      }
      time = limit;
    },
  };
}
