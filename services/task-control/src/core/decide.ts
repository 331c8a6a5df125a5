import type { Decision, Input, InputName } from "./inputs.js";
import { broken } from "./invariants.js";
import { type ProjectState, phaseOf } from "./state.js";
import { type Cell, transitions } from "./transitions.js";

/** A state that must not be was about to be stored: a fault of Holdfast, never of a caller. */
export class BrokenInvariant extends Error {
  override readonly name = "BrokenInvariant";
}

/**
 * Decides what an input does: total, synchronous, without I/O, clock or randomness.
 * @throws BrokenInvariant instead of returning a state that must not be
 */
export function decide(stored: ProjectState, input: Input): Decision {
  const phase = phaseOf(stored, input.at);
  const state = phase === "asked" || phase === "closing" ? stored : withoutVoidQuit(stored);
  // The table types each cell by its input's name; the name is read off the input, so the two agree.
  const cell = transitions[phase][input.input] as Cell<InputName>;
  const decision = cell(state, input);
  if (decision.next === state) return decision;
  const wrong = broken(decision.next);
  if (wrong.length > 0) throw new BrokenInvariant(`${phase} × ${input.input}: ${wrong.join("; ")}`);
  return decision;
}

/** An ask to quit whose asker died is dropped by the next input, whatever it is. */
function withoutVoidQuit(state: ProjectState): ProjectState {
  return state.quit ? { ...state, quit: null } : state;
}
