import type {
  ExecutionKind,
  ExecutionState,
  NewTabPolicy,
  OperationOutcome,
  Profile,
  Verdict,
} from "@holdfast/protocol";

/** Executions and operations that ended are remembered so far back, to answer those who come late. */
export const ENDED_MAX = 20;

export interface TabOfProfile {
  readonly profileId: string;
  readonly tabId: string;
}

export interface Execution {
  readonly kind: ExecutionKind;
  readonly id: string;
  readonly profileId: string;
  readonly goal: string;
  readonly owner: string;
  /** What new tabs do to the cursor while it goes on; null: as the project says. */
  readonly newTab: NewTabPolicy | null;
  readonly state: ExecutionState;
  /** ISO 8601. */
  readonly since: string;
  readonly endedAt: string | null;
  readonly result: string | null;
  /** What a stop cut and discarded, once one was asked for. The first stop sets it; later ones only read it. */
  readonly cut: Cut | null;
}

export interface Cut {
  readonly interrupted: { readonly operationId: string; readonly outcome: OperationOutcome } | null;
  readonly discarded: number;
}

/** An operation that was admitted and has not ended: the first of the list may be under way, the others wait. */
export interface Pending {
  readonly operationId: string;
  readonly operation: string;
  readonly fingerprint: string;
  readonly taskId: string | null;
  /** The tab it was admitted for: the one it named, or the cursor then. Null if it opens one. */
  readonly tabId: string | null;
  readonly at: string;
}

export interface Ended {
  readonly operationId: string;
  readonly operation: string;
  readonly taskId: string | null;
  readonly tabId: string | null;
  readonly outcome: OperationOutcome;
  readonly at: string;
  /** What somebody found who looked, of an operation whose end was not seen; his word, not ours. */
  readonly verdict: Verdict | null;
  /** Who found it, and when. */
  readonly verdictBy?: string | undefined;
  readonly verdictAt?: string | undefined;
}

/** Asked for: it may still be refused, so new work waits for the verdict. Closing: it was granted. */
export interface Quit {
  readonly quitId: string;
  readonly phase: "asked" | "closing";
  /** ISO 8601; an ask whose asker died is void after `QUIT_ASK_MS`. */
  readonly at: string;
}

/** ms after which an ask to quit that got no verdict is void: its asker has died. */
export const QUIT_ASK_MS = 5_000;

/** All that is decided about one project. Stored as one value, changed by compare-and-set. */
export interface ProjectState {
  readonly workspaceId: string;
  readonly open: boolean;
  readonly profiles: readonly Profile[];
  readonly newTab: NewTabPolicy;
  readonly cursor: TabOfProfile | null;
  /** What holds the project; null when nothing does. Its state is never an end. */
  readonly execution: Execution | null;
  /** Newest first. */
  readonly endedExecutions: readonly Execution[];
  readonly pending: readonly Pending[];
  /** Newest first. */
  readonly ended: readonly Ended[];
  /** Raised by every stop: what was queued before it is not begun after it. */
  readonly generation: number;
  readonly quit: Quit | null;
}

export const PHASES = [
  "closed",
  "idle",
  "operating",
  "running",
  "stopping",
  "waiting_for_decision",
  "needs_check",
  "asked",
  "closing",
] as const;

/**
 * closed       project_close was called; project_open leads out.
 * idle         nothing holds the project.
 * operating    an operation without a task is queued or under way; no execution.
 * running      an execution holds the project, whether or not an operation of its is under way.
 * stopping     a stop was asked for and an operation may still be under way; ends by itself.
 * waiting_for_decision  a run stands at a step, for as long as it takes; a decision or a stop leads out.
 * needs_check  an operation of the execution began and was not seen to end; task_resolve or a stop lead out.
 * asked        somebody asked to quit and the verdict is not there yet; lasts milliseconds, and is void after QUIT_ASK_MS.
 * closing      quit was granted; there is no way back but the next start.
 */
export type Phase = (typeof PHASES)[number];

export function phaseOf(state: ProjectState, at: string): Phase {
  if (state.quit?.phase === "closing") return "closing";
  if (state.quit && Date.parse(at) - Date.parse(state.quit.at) < QUIT_ASK_MS) return "asked";
  if (!state.open) return "closed";
  if (!state.execution) return state.pending.length > 0 ? "operating" : "idle";
  const { state: own } = state.execution;
  return own === "stopping" || own === "needs_check" || own === "waiting_for_decision" ? own : "running";
}

/** The tab that the project is held at: nothing may name another one. Null when nothing holds it. */
export function heldTab(state: ProjectState): string | null {
  if (state.execution) return state.cursor?.tabId ?? null;
  return state.pending[0]?.tabId ?? null;
}

export function isBusy(state: ProjectState): boolean {
  return state.execution !== null || state.pending.length > 0;
}

export function newProject(workspaceId: string, profiles: readonly Profile[], cursor: TabOfProfile): ProjectState {
  return {
    workspaceId,
    open: true,
    profiles,
    newTab: "report",
    cursor,
    execution: null,
    endedExecutions: [],
    pending: [],
    ended: [],
    generation: 0,
    quit: null,
  };
}
