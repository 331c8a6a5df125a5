/**
 * The gate that every call passes.
 * open      calls pass.
 * closing   quit was granted, or the process is told to end: what is under way is answered, nothing new passes.
 * closed    the last answer has left.
 */
export interface Gate {
  readonly state: "open" | "closing" | "closed";
  /** Calls that have passed and are not answered. */
  readonly inside: number;
}

export const OPEN: Gate = { state: "open", inside: 0 };

/** A call asks to pass; null if it may not. */
export function enter(gate: Gate): Gate | null {
  return gate.state === "open" ? { ...gate, inside: gate.inside + 1 } : null;
}

/** A call was answered. */
export function leave(gate: Gate): Gate {
  return settled({ ...gate, inside: gate.inside - 1 });
}

/** The end was decided. There is no way back. */
export function shut(gate: Gate): Gate {
  return settled({ ...gate, state: gate.state === "closed" ? "closed" : "closing" });
}

function settled(gate: Gate): Gate {
  return gate.state === "closing" && gate.inside === 0 ? { ...gate, state: "closed" } : gate;
}
