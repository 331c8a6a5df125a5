import {
  HoldfastError,
  type Program,
  type programOperations,
  programStep,
  type RequestOf,
  type RunShape,
} from "@holdfast/protocol";
import { goingOn, type Run, type Verdict } from "./core/run.js";
import type { ProjectState } from "./core/state.js";
import type { Parts } from "./parts.js";
import { mintId, savedProgram } from "./saved-program.js";
import { executionIn } from "./told.js";

type Request<N extends string> = RequestOf<Extract<(typeof programOperations)[number], { name: N }>>;

/** Begins a run: its record first, so that whoever finds the project held by it also finds what it is. */
export async function runProgram(parts: Parts, asked: Request<"program_run">): Promise<RunShape> {
  const { workspaceId, profileId, programId, from = workspaceId } = asked;
  const known = asked.runId === undefined ? null : await parts.runs.get(workspaceId, asked.runId);
  if (known) return runTold(parts, workspaceId, known.value.runId);
  await parts.store.get(workspaceId);
  const { info, program } = await savedProgram(parts, from, programId);
  const params = valuesFor(program, asked);
  const run: Run = {
    runId: asked.runId ?? mintId("run"),
    workspaceId,
    profileId,
    programId,
    version: info.version,
    steps: program.steps.length,
    state: "going",
    final: null,
    startedAt: new Date().toISOString(),
    endedAt: null,
    step: 0,
    attempt: 0,
    tabs: {},
    params,
    replaced: {},
    results: [],
    waiting: null,
    beat: 0,
  };
  if (await parts.runs.create(run, program, asked.secrets)) await begin(parts, run, info.title || programId);
  parts.driver.drive(workspaceId, run.runId);
  return runTold(parts, workspaceId, run.runId);
}

/** Holds the project, as any execution does. Where that is refused there is no run. */
async function begin(parts: Parts, run: Run, goal: string): Promise<void> {
  const { workspaceId, profileId, runId } = run;
  const start = {
    input: "start",
    kind: "program",
    id: runId,
    profileId,
    goal,
    owner: "program",
    newTab: "report",
  } as const;
  try {
    const decision = await parts.store.apply(workspaceId, start);
    executionIn(decision);
    parts.effects.publish(workspaceId, decision);
  } catch (thrown) {
    await parts.runs.remove(run);
    throw thrown;
  }
}

/** @throws HoldfastError `MCP_BAD_ARGUMENTS` naming what is missing and what there is not */
function valuesFor(
  program: Program,
  asked: Pick<Request<"program_run">, "params" | "secrets">,
): Record<string, string> {
  const defaults = program.params.flatMap((one) =>
    one.default === undefined ? [] : [[one.name, one.default] as const],
  );
  const params = { ...Object.fromEntries(defaults), ...asked.params };
  const names = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name);
  const missing = [
    ...names(program.params).filter((name) => params[name] === undefined),
    ...names(program.secrets).filter((name) => asked.secrets[name] === undefined),
  ];
  const strange = [
    ...Object.keys(asked.params).filter((name) => !names(program.params).includes(name)),
    ...Object.keys(asked.secrets).filter((name) => !names(program.secrets).includes(name)),
  ];
  if (missing.length === 0 && strange.length === 0) return params;
  const told = [
    ...(missing.length > 0 ? [`give a value for ${missing.join(", ")}`] : []),
    ...(strange.length > 0 ? [`the program has no ${strange.join(", ")}`] : []),
  ];
  throw new HoldfastError("MCP_BAD_ARGUMENTS", `program_run: ${told.join("; ")}.`, { missing, strange });
}

/** Takes a decision on a run that waits. */
export async function resumeRun(parts: Parts, asked: Request<"program_resume">): Promise<RunShape> {
  const { workspaceId, runId } = asked;
  const verdict = verdictOf(asked);
  for (;;) {
    const entry = await parts.runs.get(workspaceId, runId);
    if (!entry) throw new HoldfastError("MCP_TASK_NOT_FOUND", "The project has never had such a run.", { runId });
    const state = await parts.store.get(workspaceId);
    if (state.execution?.id !== runId) throw ended(entry.value, state);
    // Asked again after it was heard: the run goes on already.
    if (entry.value.state !== "waiting") break;
    await resolveUnknown(parts, state, verdict);
    if (Object.keys(asked.secrets).length > 0) await parts.runs.addSecrets(entry.value, asked.secrets);
    const next = goingOn(entry.value, verdict, new Date().toISOString());
    if ((await parts.runs.update(next, entry.revision)) !== null) break;
  }
  parts.driver.drive(workspaceId, runId);
  return runTold(parts, workspaceId, runId);
}

function verdictOf({ decision, step, params }: Request<"program_resume">): Verdict {
  if (decision !== "replace") return decision === "value" ? { decision, params } : { decision };
  const parsed = programStep.safeParse(step);
  if (parsed.success) return { decision, step: parsed.data };
  const issues = parsed.error.issues.map((issue) => ({ at: issue.path.join("."), problem: issue.message }));
  const told = issues.map(({ at, problem }) => (at ? `${at}: ${problem}` : problem)).join("; ");
  throw new HoldfastError("MCP_BAD_ARGUMENTS", `program_resume: with replace, give the step. ${told}`, { issues });
}

/** Whoever skips a step whose end was not seen says that it is done; whoever tries it again, that it is not. */
async function resolveUnknown(parts: Parts, state: ProjectState, { decision }: Verdict): Promise<void> {
  const { workspaceId, execution } = state;
  if (execution?.state !== "needs_check") return;
  const verdict = decision === "skip" ? ("done" as const) : ("not_done" as const);
  const inDoubt = state.ended.filter(
    (op) => op.outcome === "unknown" && op.verdict === null && op.taskId === execution.id,
  );
  for (const { operationId } of inDoubt) {
    const resolve = { input: "resolve", taskId: execution.id, operationId, verdict } as const;
    parts.effects.publish(workspaceId, await parts.store.apply(workspaceId, resolve));
  }
}

function ended(run: Run, state: ProjectState): HoldfastError {
  const current = state.endedExecutions.find(({ id }) => id === run.runId)?.state ?? run.final ?? "lost";
  return new HoldfastError("MCP_TASK_ENDED", `The run ${run.runId} is ${current}.`, {
    runId: run.runId,
    state: current,
  });
}

/** Where a run stands: its execution says whether it goes on, its record how far it came. */
export async function runTold(parts: Parts, workspaceId: string, named?: string): Promise<RunShape> {
  const state = await parts.store.get(workspaceId);
  const all = [state.execution, ...state.endedExecutions];
  const runId = named ?? all.find((one) => one?.kind === "program")?.id;
  const entry = runId === undefined ? null : await parts.runs.get(workspaceId, runId);
  if (!entry)
    throw new HoldfastError("MCP_TASK_NOT_FOUND", "The project has never had such a run.", { runId: runId ?? null });
  const run = entry.value;
  const execution = all.find((one) => one?.id === run.runId);
  const { profileId, programId, version, startedAt, step, steps, waiting } = run;
  return {
    runId: run.runId,
    workspaceId,
    profileId,
    programId,
    version,
    state: execution?.state ?? run.final ?? "lost",
    startedAt,
    endedAt: execution?.endedAt ?? run.endedAt,
    step,
    steps,
    tabs: { ...run.tabs },
    results: [...run.results],
    waiting,
  };
}
