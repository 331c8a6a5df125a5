import * as admission from "./admission.js";
import { decided } from "./decision.js";
import { cursorWent, ended, endedStopping } from "./ends.js";
import * as executions from "./executions.js";
import type { Decision, InputName, InputOf } from "./inputs.js";
import * as life from "./lifetimes.js";
import type { Phase, ProjectState } from "./state.js";
import * as stops from "./stop.js";

/** What one input does in one phase. */
export type Cell<N extends InputName> = (state: ProjectState, input: InputOf<N>) => Decision;
export type Row = { readonly [N in InputName]: Cell<N> };

/** Nothing changes, and that is right: the asker is told that it is done. */
const ignored = (state: ProjectState): Decision => decided(state);

const closed = admission.refuse("MCP_PROJECT_NOT_FOUND");
const closing = admission.refuse("MCP_CLOSING");
const busy = admission.refuse("MCP_PROJECT_BUSY");

/** What holds in every phase in which the project is open and nobody quits. */
const serving = {
  open: life.open,
  close: busy,
  resolve: executions.resolve,
  ask: ignored,
  answered: ignored,
  stop_seen: stops.stopSeenLate,
  ended,
  cursor: cursorWent,
  quit_ask: life.quitBusy,
  quit_release: life.quitRelease,
  quit_close: life.quitClose,
  restart: life.restart,
} as const satisfies Partial<Row>;

/**
 * What every input does in every phase: the whole of what Holdfast decides about a project.
 * The phases are described in `state.ts`. A late or a repeated input is a row like any other.
 */
export const transitions: { readonly [P in Phase]: Row } = {
  closed: {
    ...serving,
    close: ignored,
    read: closed,
    mutate: closed,
    start: closed,
    finish: executions.finishAbsent,
    stop: stops.stopEnded,
    quit_ask: life.quitAsk,
  },
  idle: {
    ...serving,
    close: life.close,
    read: admission.readAnywhere,
    mutate: admission.admitAnywhere,
    start: executions.start,
    finish: executions.finishAbsent,
    stop: stops.stopEnded,
    quit_ask: life.quitAsk,
  },
  operating: {
    ...serving,
    read: admission.readHeld,
    mutate: admission.admitBehind,
    start: executions.startHeld,
    finish: executions.finishAbsent,
    stop: stops.stopEnded,
  },
  running: {
    ...serving,
    read: admission.readHeld,
    mutate: admission.admitOwn,
    start: executions.startHeld,
    finish: executions.finish,
    stop: stops.stop,
    ask: executions.ask,
  },
  waiting_for_decision: {
    ...serving,
    read: admission.readHeld,
    // Whoever helps the run out of it works in its name.
    mutate: admission.admitOwn,
    start: executions.startHeld,
    finish: executions.finish,
    stop: stops.stop,
    answered: executions.answered,
  },
  stopping: {
    ...serving,
    read: admission.readHeld,
    mutate: admission.admitWhileStopping,
    start: executions.startHeld,
    finish: executions.finishStopping,
    stop: stops.stopAgain,
    stop_seen: stops.stopSeen,
    ended: endedStopping,
  },
  needs_check: {
    ...serving,
    read: admission.readHeld,
    mutate: admission.admitNothing,
    start: executions.startHeld,
    finish: admission.refuse("MCP_TASK_NEEDS_CHECK"),
    stop: stops.stop,
  },
  asked: {
    ...serving,
    open: life.wait,
    close: life.wait,
    read: admission.readAsked,
    mutate: life.wait,
    start: life.wait,
    finish: executions.finishAbsent,
    stop: stops.stopEnded,
    // Two who ask to quit at once: the second waits for the first one's verdict.
    quit_ask: life.wait,
  },
  closing: {
    ...serving,
    open: closing,
    close: closing,
    read: closing,
    mutate: closing,
    start: closing,
    finish: executions.finishAbsent,
    stop: stops.stopEnded,
    quit_ask: closing,
    quit_release: ignored,
    quit_close: ignored,
  },
};
