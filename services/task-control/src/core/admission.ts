import type { FailureCode } from "@holdfast/protocol";
import { cursorOf, decided, holder, refused } from "./decision.js";
import type { Decision, Effect, InputOf, Mutation, TabKnown } from "./inputs.js";
import { type Ended, heldTab, type Pending, type ProjectState } from "./state.js";

/** How many operations of one project may be queued or under way at once. */
export const PENDING_MAX = 1_000;

/** Nothing holds the project: a read may name any of its tabs, and with none it is about the cursor. */
export function readAnywhere(state: ProjectState, input: InputOf<"read">): Decision {
  const profileId = profileOf(state, input.profileId);
  return (
    otherProfile(state, input.profileId) ?? decided(state, [], { reply: "admitted", profileId, tabId: input.tabId })
  );
}

/** Somebody asks to quit: a read changes nothing, so it need not wait. A project that is closed has nothing to read. */
export function readAsked(state: ProjectState, input: InputOf<"read">): Decision {
  return state.open ? readAnywhere(state, input) : refused(state, "MCP_PROJECT_NOT_FOUND");
}

/** Something holds the project: a read is about the tab that is held, or it is refused. */
export function readHeld(state: ProjectState, input: InputOf<"read">): Decision {
  const elsewhere = otherTab(state, input, false);
  return elsewhere ?? readAnywhere(state, input);
}

export function admitAnywhere(state: ProjectState, input: InputOf<"mutate">): Decision {
  return badTask(state, input) ?? admit(state, input);
}

/** Held by an operation without a task: others of its kind wait behind it, on the same tab. */
export function admitBehind(state: ProjectState, input: InputOf<"mutate">): Decision {
  return (
    duplicate(state, input) ?? otherTab(state, input, input.selectsTab) ?? badTask(state, input) ?? admit(state, input)
  );
}

/** Held by an execution: its own operations are queued, on the cursor's tab. */
export function admitOwn(state: ProjectState, input: InputOf<"mutate">): Decision {
  const foreign = input.taskId !== state.execution?.id;
  return (
    duplicate(state, input) ??
    otherTab(state, input, input.selectsTab) ??
    badTask(state, input) ??
    (foreign
      ? refused(state, "MCP_PROJECT_BUSY", heldBy(state), { ...holder(state), cursor: cursorOf(state) })
      : admit(state, input))
  );
}

/** An operation of the execution is unknown: nothing is begun on top of it, and what was queued behind it waits for a verdict. */
export function admitNothing(state: ProjectState, input: InputOf<"mutate">): Decision {
  const other = duplicate(state, input) ?? otherTab(state, input, input.selectsTab);
  return other ?? refused(state, "MCP_TASK_NEEDS_CHECK", "", { ...holder(state), unknown: doubtsOf(state) });
}

export function refuse(code: FailureCode): (state: ProjectState) => Decision {
  return (state) => refused(state, code, "", holder(state));
}

/** A stop is under way: its own execution's operations are stopped, everybody else finds the project busy. */
export function admitWhileStopping(state: ProjectState, input: InputOf<"mutate">): Decision {
  const own = input.taskId !== null && input.taskId === state.execution?.id;
  const joined = duplicate(state, input);
  if (joined) return joined;
  return refused(state, own ? "MCP_STOPPED" : "MCP_PROJECT_BUSY", own ? "" : heldBy(state), holder(state));
}

export function unknownOf(state: ProjectState): string[] {
  return state.ended.filter(isUnknown).map((op) => op.operationId);
}

/** What holds the execution up: those of its own operations that are in doubt. */
export function doubtsOf(state: ProjectState): string[] {
  return state.ended.filter((op) => isUnknown(op) && op.taskId === state.execution?.id).map((op) => op.operationId);
}

export function isUnknown({ outcome, verdict }: Ended): boolean {
  return outcome === "unknown" && verdict === null;
}

function admit(state: ProjectState, input: Mutation): Decision {
  if (state.pending.length >= PENDING_MAX) {
    return refused(state, "MCP_QUEUE_FULL", `${PENDING_MAX} operations of the project wait already.`, {
      queued: state.pending.length,
    });
  }
  const unknown = otherProfile(state, input.profileId);
  if (unknown) return unknown;
  const next = { ...state, pending: [...state.pending, pendingOf(state, input)] };
  const queued = queuedOf(state, input);
  return decided(next, [queued], { reply: "admitted", profileId: queued.profileId, tabId: input.tabId });
}

/** What is queued of an operation. Of one that was admitted and never reached the queue it is told once more. */
export function queuedOf(state: ProjectState, input: Mutation): Effect & { effect: "enqueue" } {
  const { generation, cursor } = state;
  const profileId = profileOf(state, input.profileId);
  const newTab = input.newTab ?? state.execution?.newTab ?? state.newTab;
  return { effect: "enqueue", mutation: input, profileId, newTab, generation, cursorless: cursor === null };
}

/** The refusal of a profile that the project has not got. */
export function otherProfile(state: ProjectState, profileId: string | null): Decision | null {
  const profiles = state.profiles.map((profile) => profile.profileId);
  if (profileId === null || profiles.includes(profileId)) return null;
  return refused(state, "MCP_PROFILE_NOT_FOUND", `The project has no profile ${profileId}.`, { profiles });
}

function pendingOf(state: ProjectState, input: Mutation & { readonly at?: string }): Pending {
  const { operationId, operation, fingerprint, taskId } = input;
  return {
    operationId,
    operation,
    fingerprint,
    taskId,
    tabId: input.tabId ?? state.cursor?.tabId ?? null,
    at: input.at ?? "",
  };
}

/** The same id again, while the first is on its way: the asker joins it, or is told that it means another thing. */
function duplicate(state: ProjectState, input: Mutation): Decision | null {
  const first = state.pending.find((op) => op.operationId === input.operationId);
  if (!first) return null;
  if (first.fingerprint === input.fingerprint) return decided(state, [], { reply: "attached" });
  return refused(state, "MCP_OPERATION_CONFLICT", "", { operationId: input.operationId });
}

interface Named {
  readonly tabId: string | null;
  readonly tabKnown: TabKnown;
  readonly ofProject: boolean;
}

/** The refusal of a request that is about another tab than the one the project is held at. */
function otherTab(state: ProjectState, { tabId, tabKnown, ofProject }: Named, selects: boolean): Decision | null {
  if (tabKnown === "unknown") {
    return refused(state, "MCP_TAB_NOT_FOUND", `The project has no tab ${tabId}.`, { tabId });
  }
  const held = heldTab(state);
  const asked = tabId ?? state.cursor?.tabId ?? null;
  if (selects || ofProject || held === null || asked === null || asked === held) return null;
  const told = `The project is held at tab ${held}; ${asked} was asked for. Select it first, or ask for ${held}.`;
  return refused(state, "MCP_TARGET_TAB_BUSY", told, {
    ...holder(state),
    cursor: cursorOf(state),
    heldTabId: held,
    tabId: asked,
  });
}

/** A task that does not hold the project cannot work in it: it has ended, or there never was one. */
function badTask(state: ProjectState, input: Mutation): Decision | null {
  if (input.taskId === null || input.taskId === state.execution?.id) return null;
  const ended = state.endedExecutions.find((execution) => execution.id === input.taskId);
  if (ended?.state === "stopped") return refused(state, "MCP_STOPPED", "", { taskId: input.taskId });
  if (ended)
    return refused(state, "MCP_TASK_ENDED", `The task ${input.taskId} is ${ended.state}.`, {
      taskId: input.taskId,
      state: ended.state,
    });
  return state.execution ? null : refused(state, "MCP_TASK_NOT_FOUND", "", { taskId: input.taskId });
}

function profileOf(state: ProjectState, named: string | null): string {
  return named ?? state.cursor?.profileId ?? state.execution?.profileId ?? state.profiles[0]?.profileId ?? "default";
}

function heldBy(state: ProjectState): string {
  const by = state.execution;
  return by
    ? `The ${by.kind} ${by.id} of ${by.owner} holds the project since ${by.since}: give its taskId, or wait.`
    : "";
}
