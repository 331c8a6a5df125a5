import {
  type Answer,
  type ProgramStep,
  type ProgramValue,
  type RunWaiting,
  type StepResult,
  stepDone,
  valuesIn,
} from "@holdfast/protocol";

/** A run as it is stored: all that the next step needs, whoever does it. The program itself is stored beside it, once. */
export interface Run {
  readonly runId: string;
  readonly workspaceId: string;
  readonly profileId: string;
  readonly programId: string;
  readonly version: number;
  readonly steps: number;
  /** `going`: somebody drives it. `waiting`: for a decision. */
  readonly state: "going" | "waiting" | "ended";
  readonly final: "finished" | "failed" | "stopped" | "lost" | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** The step that is next, and which try of it. */
  readonly step: number;
  readonly attempt: number;
  readonly tabs: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
  /** Steps that somebody put in the place of others. */
  readonly replaced: Readonly<Record<string, ProgramStep>>;
  readonly results: readonly StepResult[];
  readonly waiting: RunWaiting | null;
  /** Raised by whoever drives it, as a sign of life. */
  readonly beat: number;
}

/** Results that are kept: the oldest go first. Every step of the longest program, tried twice. */
export const RESULTS_MAX = 2_000;

/** Times that a step looks for the dialog it answers: once before it opens, and once after. */
const DIALOG_TRIES_MAX = 5;

/** One try of one step: asking for it again asks for the same. */
export function operationIdOf({ runId, step, attempt }: Pick<Run, "runId" | "step" | "attempt">): string {
  return attempt === 0 ? `${runId}_${step}` : `${runId}_${step}_${attempt}`;
}

export interface Values {
  readonly params: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** The step with every value in its place, or the names that there is no value for. */
export function withValues(step: ProgramStep, values: Values): ProgramStep | { readonly missing: string[] } {
  const missing = valuesIn(step).flatMap((value) => (lookUp(value, values) === undefined ? [nameOf(value)] : []));
  if (missing.length > 0) return { missing };
  const put = (value: ProgramValue): string => lookUp(value, values) ?? "";
  if (step.do === "navigate" || step.do === "open_tab") return { ...step, url: put(step.url) };
  if (step.do === "fill") return { ...step, value: put(step.value) };
  if (step.do === "select") return { ...step, values: step.values.map(put) };
  if (step.do === "dialog" && step.promptText !== undefined) return { ...step, promptText: put(step.promptText) };
  return step;
}

function lookUp(value: ProgramValue, { params, secrets }: Values): string | undefined {
  if (typeof value === "string") return value;
  return "param" in value ? params[value.param] : secrets[value.secret];
}

function nameOf(value: ProgramValue): string {
  if (typeof value === "string") return value;
  return "param" in value ? value.param : value.secret;
}

/** What came of a step: it is done, it has to be decided upon, or it is to be asked for again. */
export type Came =
  | { readonly came: "done"; readonly run: Run }
  | { readonly came: "again"; readonly run: Run }
  | { readonly came: "stuck"; readonly why: RunWaiting["why"]; readonly answer: Answer & { readonly ok: false } }
  | { readonly came: "over" }
  | { readonly came: "later" };

/** Nothing was begun, or nobody could say so: the same operation id can be asked for again. */
const LATER: readonly string[] = ["MCP_NO_WORKER", "MCP_BUS_DOWN", "MCP_CLOSING", "MCP_QUEUE_FULL", "MCP_INTERNAL"];
const OVER: readonly string[] = ["MCP_STOPPED", "MCP_TASK_ENDED", "MCP_TASK_NOT_FOUND", "MCP_PROJECT_NOT_FOUND"];

export function cameOf(run: Run, step: ProgramStep, answer: Answer, at: string): Came {
  if (answer.ok) {
    const value = (answer.result as { value?: unknown; target?: { tabId?: string } | null } | null) ?? {};
    // The dialog opened while it was waited for, and that interrupts whoever waits: it is there now.
    if (step.do === "dialog" && !stepDone.safeParse(value.value).success && run.attempt < DIALOG_TRIES_MAX) {
      return { came: "again", run: { ...run, attempt: run.attempt + 1 } };
    }
    const opened =
      stepDone.safeParse(value.value).data?.opened ?? (step.do === "open_tab" ? value.target?.tabId : null);
    return { came: "done", run: advanced(run, step, { at, opened: opened ?? null, value: value.value }) };
  }
  const { code } = answer.failure;
  // A tab that is to be closed, or may close by the step, is closed.
  const gone = code === "MCP_TAB_GONE" && (step.do === "close_tab" || ("closes" in step && step.closes === true));
  if (gone) return { came: "done", run: advanced(run, step, { at, opened: null, value: null }) };
  if (OVER.includes(code)) return { came: "over" };
  if (LATER.includes(code) && !answer.identity.replayed) return { came: "later" };
  const unknown = code === "MCP_OUTCOME_UNKNOWN" || code === "MCP_TASK_NEEDS_CHECK";
  return { came: "stuck", why: unknown ? "outcome_unknown" : "step_failed", answer };
}

function advanced(
  run: Run,
  step: ProgramStep,
  { at, opened, value }: { at: string; opened: string | null; value: unknown },
): Run {
  const locator = stepDone.safeParse(value).data?.locator ?? null;
  const tabs = opened !== null && "opens" in step && step.opens ? { ...run.tabs, [step.opens]: opened } : run.tabs;
  const next = { ...run, tabs, step: run.step + 1, attempt: 0, waiting: null };
  return withResult(next, { ...resultOf(run, "done", at), locator });
}

export function resultOf(run: Run, outcome: StepResult["outcome"], at: string, code: string | null = null): StepResult {
  return { step: run.step, operationId: operationIdOf(run), outcome, at, locator: null, code };
}

export function withResult(run: Run, result: StepResult): Run {
  return { ...run, results: [...run.results, result].slice(-RESULTS_MAX) };
}

/** The run stands, with all that helps to decide. */
export function standing(run: Run, waiting: RunWaiting): Run {
  const outcome = waiting.why === "outcome_unknown" ? "unknown" : "failed";
  const tried =
    waiting.why === "value_missing" ? run : withResult(run, resultOf(run, outcome, waiting.since, waiting.code));
  return { ...tried, state: "waiting", waiting };
}

export type Verdict =
  | { readonly decision: "retry" }
  | { readonly decision: "skip" }
  | { readonly decision: "replace"; readonly step: ProgramStep }
  | { readonly decision: "value"; readonly params: Readonly<Record<string, string>> };

/** How a run that stands goes on. */
export function goingOn(run: Run, verdict: Verdict, at: string): Run {
  const on: Run = { ...run, state: "going", waiting: null };
  if (verdict.decision === "skip") {
    return withResult({ ...on, step: run.step + 1, attempt: 0 }, resultOf(run, "skipped", at));
  }
  const again = { ...on, attempt: run.attempt + 1 };
  if (verdict.decision === "replace") {
    return { ...again, replaced: { ...run.replaced, [String(run.step)]: verdict.step } };
  }
  return verdict.decision === "value" ? { ...again, params: { ...run.params, ...verdict.params } } : again;
}

export function over(run: Run, final: NonNullable<Run["final"]>, at: string): Run {
  return { ...run, state: "ended", final, endedAt: at, waiting: null };
}
