import type { Decision, Input, InputOf, Reply } from "../../src/core/inputs.js";
import { type Execution, newProject, type Pending, type ProjectState } from "../../src/core/state.js";

/** When everything in these tests happens, unless a test says otherwise. */
export const AT = "2026-01-01T00:00:00.000Z";
export const later = (ms: number): string => new Date(Date.parse(AT) + ms).toISOString();

const PROFILES = [{ profileId: "default" }, { profileId: "second" }];

/** A project `p` at tab t1 of the profile default. */
export const idle: ProjectState = newProject("p", PROFILES, { profileId: "default", tabId: "t1" });

export function execution(changes: Partial<Execution> = {}): Execution {
  const times = { since: AT, endedAt: null };
  const what = { kind: "task", id: "T", profileId: "default", goal: "", owner: "agent" } as const;
  return { ...what, ...times, state: "running", result: null, cut: null, newTab: null, ...changes };
}

export function pending(operationId: string, changes: Partial<Pending> = {}): Pending {
  const what = { operationId, operation: "browser_click", fingerprint: `f:${operationId}` };
  return { ...what, taskId: null, tabId: "t1", at: AT, ...changes };
}

export const operating: ProjectState = { ...idle, pending: [pending("o1")] };
export const running: ProjectState = { ...idle, execution: execution() };
export const working: ProjectState = {
  ...running,
  pending: ["o1", "o2", "o3"].map((id) => pending(id, { taskId: "T" })),
};
export const closed: ProjectState = { ...idle, open: false };
export const asked: ProjectState = { ...idle, quit: { quitId: "q1", phase: "asked", at: AT } };
export const closing: ProjectState = { ...idle, quit: { quitId: "q1", phase: "closing", at: AT } };
export const needsCheck: ProjectState = {
  ...idle,
  execution: execution({ state: "needs_check" }),
  ended: [{ ...endedRecord("o1"), taskId: "T", outcome: "unknown" }],
};

export function endedRecord(operationId: string): ProjectState["ended"][number] {
  const where = { operationId, operation: "browser_click", taskId: null, tabId: "t1" };
  return { ...where, outcome: "done", at: AT, verdict: null };
}

export function endedExecution(id: string, changes: Partial<Execution> = {}): Execution {
  return execution({ id, state: "finished", endedAt: AT, ...changes });
}

export function mutate(changes: Partial<InputOf<"mutate">> = {}): InputOf<"mutate"> {
  const what = { operationId: "o9", operation: "browser_click", fingerprint: "f:o9" };
  const where = { taskId: null, profileId: null, tabId: null, tabKnown: "unchecked" } as const;
  return { input: "mutate", at: AT, ...what, ...where, selectsTab: false, ofProject: false, newTab: null, ...changes };
}

export function read(tabId: string | null, changes: Partial<InputOf<"read">> = {}): InputOf<"read"> {
  return {
    input: "read",
    at: AT,
    profileId: null,
    tabId,
    tabKnown: tabId === null ? "unchecked" : "known",
    ofProject: false,
    ...changes,
  };
}

export function start(id: string, changes: Partial<InputOf<"start">> = {}): InputOf<"start"> {
  const what = { kind: "task", id, profileId: "default", goal: "", owner: "agent", newTab: null } as const;
  return { input: "start", at: AT, ...what, ...changes };
}

export function open(profiles: InputOf<"open">["profiles"] = []): InputOf<"open"> {
  return { input: "open", at: AT, profiles, newTab: null };
}

export function stop(executionId: string, profileId = "default"): InputOf<"stop"> {
  return { input: "stop", at: AT, executionId, profileId };
}

export function stopSeen(executionId: string, interrupted: InputOf<"stop_seen">["interrupted"]): InputOf<"stop_seen"> {
  return { input: "stop_seen", at: AT, executionId, interrupted };
}

export function ended(operationId: string, changes: Partial<InputOf<"ended">> = {}): InputOf<"ended"> {
  const what = { operationId, operation: "browser_click", taskId: "T", tabId: "t1", outcome: "done" } as const;
  return { input: "ended", at: AT, ...what, ...changes };
}

/** The code of a refusal; null for anything else. */
export function codeOf({ reply }: Decision): string | null {
  return reply.reply === "refused" ? reply.failure.code : null;
}

export function detailsOf({ reply }: Decision): Readonly<Record<string, unknown>> {
  return reply.reply === "refused" ? reply.failure.details : {};
}

export function executionOf(reply: Reply): Execution | null {
  return reply.reply === "execution" ? reply.execution : null;
}

/** What a decision tells the world, in order. */
export function factsOf({ effects }: Decision): string[] {
  return effects.flatMap((effect) => (effect.effect === "tell" ? [effect.fact.fact] : []));
}

export function effectsOf({ effects }: Decision): string[] {
  return effects.map(({ effect }) => effect);
}

/** Applies inputs in order. */
export function after(
  state: ProjectState,
  inputs: readonly Input[],
  decide: (state: ProjectState, input: Input) => Decision,
): ProjectState {
  return inputs.reduce((before, input) => decide(before, input).next, state);
}
