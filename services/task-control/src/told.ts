import { type ExecutionShape, HoldfastError, type ProjectStatus, type TaskShape } from "@holdfast/protocol";
import { unknownOf } from "./core/admission.js";
import { cursorOf } from "./core/decision.js";
import type { Decision } from "./core/inputs.js";
import type { Execution, ProjectState } from "./core/state.js";
import { identitiesTold } from "./identities.js";
import type { Parts } from "./parts.js";

/** The decision, or its refusal thrown. */
export function granted(decision: Decision): Decision {
  if (decision.reply.reply === "refused") throw new HoldfastError(...thrownAs(decision.reply.failure));
  return decision;
}

/** The execution that a decision is about. @throws HoldfastError its refusal */
export function executionIn(decision: Decision): Execution {
  const { reply } = granted(decision);
  if (reply.reply === "execution") return reply.execution;
  throw new HoldfastError("MCP_INTERNAL", `A decision about an execution replied ${reply.reply}.`);
}

export function executionTold({ kind, id, profileId, goal, state, since, owner }: Execution): ExecutionShape {
  return { kind, id, profileId, goal, state, since, owner };
}

export function taskTold(state: ProjectState, execution: Execution): TaskShape {
  const { id, profileId, goal, since, endedAt, result } = execution;
  return {
    taskId: id,
    workspaceId: state.workspaceId,
    profileId,
    goal,
    state: execution.state,
    since,
    endedAt,
    result,
    cursor: cursorOf(state),
  };
}

export async function statusTold(parts: Parts, state: ProjectState): Promise<ProjectStatus> {
  const { workspaceId } = state;
  const [table, memory, restored] = await Promise.all([
    parts.tabs.get(workspaceId),
    parts.memory.get(workspaceId),
    parts.restores.get(workspaceId),
  ]);
  const pending = state.pending.map((op, place) => ({
    ...recordOf(op),
    outcome: place === 0 ? ("running" as const) : ("queued" as const),
  }));
  const ended = state.ended.map((op) => ({ ...recordOf(op), outcome: op.outcome, ...verdictOf(op) }));
  return {
    workspaceId,
    cursor: cursorOf(state),
    views: [...parts.views.of(workspaceId)],
    execution: state.execution ? executionTold(state.execution) : null,
    worker: parts.workers.holder(workspaceId),
    ...identitiesTold(state, table?.value.tabs ?? [], restored),
    newTab: state.newTab,
    tabs: (table?.value.tabs ?? [])
      .filter((tab) => tab.state !== "closed")
      .map(({ tabId, profileId, url, title, state: tabState }) => ({ tabId, profileId, url, title, state: tabState })),
    operations: [...pending, ...ended],
    unknown: unknownOf(state),
    memory,
  };
}

function verdictOf({ verdict, verdictBy = "", verdictAt = "" }: ProjectState["ended"][number]) {
  return verdict ? { verdict: { said: verdict, by: verdictBy, at: verdictAt } } : {};
}

interface Recorded {
  readonly operationId: string;
  readonly operation: string;
  readonly tabId: string | null;
  readonly taskId: string | null;
  readonly at: string;
}

function recordOf({ operationId, operation, tabId, taskId, at }: Recorded): Recorded {
  return { operationId, operation, tabId, taskId, at };
}

function thrownAs({
  code,
  message,
  details,
}: {
  code: ConstructorParameters<typeof HoldfastError>[0];
  message: string;
  details: Readonly<Record<string, unknown>>;
}) {
  return [code, message, { ...details }] as const;
}
