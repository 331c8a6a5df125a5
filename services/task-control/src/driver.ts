import { call, type Entry } from "@holdfast/bus";
import {
  type Answer,
  failure,
  HoldfastError,
  MAIN_TAB,
  noIdentity,
  operationNamed,
  type ProgramStep,
} from "@holdfast/protocol";
import { beating } from "./beating.js";
import { type Came, cameOf, goingOn, operationIdOf, over, type Run, standing, withValues } from "./core/run.js";
import type { ProjectState } from "./core/state.js";
import { evidenceOf, lacking } from "./evidence.js";
import { RUN_TAKE_OVER_MS } from "./limits.js";
import type { Parts } from "./parts.js";

type Step = "on" | "leave";

/**
 * Drives runs, step by step. Two who drive the same run ask for the same operations by the same ids, and the ledger runs each
 * once; of what they store one is lost and reads again. So a driver can die at any point, and any other goes on.
 */
export class Driver {
  readonly #parts: () => Parts;
  readonly #driving = new Set<string>();
  /** Runs that this process has driven and that are not over: it goes on with them without waiting for a sign of life. */
  readonly #mine = new Set<string>();

  constructor(parts: () => Parts) {
    this.#parts = parts;
  }

  drive(workspaceId: string, runId: string): void {
    const key = `${workspaceId}.${runId}`;
    this.#mine.add(key);
    if (this.#driving.has(key)) return;
    this.#driving.add(key);
    this.#run(workspaceId, runId)
      .catch((thrown: unknown) => this.#parts().log.warn({ workspaceId, runId, err: thrown }, "a run is tried again"))
      .finally(() => this.#driving.delete(key));
  }

  /** Takes up what nobody drives, and follows runs that wait: they may be stopped, or resolved, by others. */
  async round(): Promise<void> {
    const { runs } = this.#parts();
    for (const { workspaceId, runId, state, heardAt } of runs.active()) {
      const mine = this.#mine.has(`${workspaceId}.${runId}`);
      const silent = performance.now() - heardAt > RUN_TAKE_OVER_MS;
      if (state === "going" && (mine || silent)) this.drive(workspaceId, runId);
      if (state === "waiting") await this.#lookAfter(workspaceId, runId);
    }
  }

  async #run(workspaceId: string, runId: string): Promise<void> {
    for (;;) {
      const entry = await this.#parts().runs.get(workspaceId, runId);
      if (entry?.value.state !== "going") {
        this.#mine.delete(`${workspaceId}.${runId}`);
        return;
      }
      if ((await this.#step(entry)) === "leave") return;
    }
  }

  async #step(entry: Entry<Run>): Promise<Step> {
    const { store, runs } = this.#parts();
    const run = entry.value;
    const state = await store.get(run.workspaceId);
    if (state.execution?.id !== run.runId) return this.#ended(entry, state);
    if (state.execution.state === "stopping") return "leave";
    if (state.execution.state === "waiting_for_decision") await this.#apply(run, "answered");
    if (run.tabs[MAIN_TAB] === undefined) return this.#settleTab(entry, state);
    if (run.step >= run.steps) return this.#finish(entry);
    const program = await runs.programOf(run);
    const step = run.replaced[String(run.step)] ?? program?.steps[run.step];
    if (!step) throw new HoldfastError("MCP_INTERNAL", `The run ${run.runId} has lost its program.`);
    const given = withValues(step, { params: run.params, secrets: await runs.secretsOf(run) });
    if ("missing" in given) return this.#stand(entry, lacking(run, given.missing));
    const answer = await beating(runs, entry, this.#call(run, given));
    return answer ? this.#take(answer.entry, given, answer.answer) : "on";
  }

  async #take(entry: Entry<Run>, step: ProgramStep, answer: Answer): Promise<Step> {
    const came: Came = cameOf(entry.value, step, answer, new Date().toISOString());
    if (came.came === "later") return "leave";
    if (came.came === "over") {
      const state = await this.#parts().store.get(entry.value.workspaceId);
      return state.execution?.id === entry.value.runId ? "leave" : this.#ended(entry, state);
    }
    if (came.came === "done" || came.came === "again") {
      await this.#parts().runs.update(came.run, entry.revision);
      if (came.came === "done") this.#tell(entry.value, "done");
      return "on";
    }
    const { why, answer: failed } = came;
    const waiting = await evidenceOf(this.#parts(), entry.value, { why, failure: failed.failure });
    this.#tell(entry.value, why === "outcome_unknown" ? "unknown" : "failed");
    return this.#stand(entry, waiting);
  }

  #call(run: Run, step: ProgramStep): Promise<Answer> {
    const { workspaceId, profileId, runId } = run;
    const named = { workspaceId, taskId: runId, operationId: operationIdOf(run) };
    const timeout = step.timeoutMs === undefined ? {} : { timeoutMs: step.timeoutMs };
    const options = { caller: `run:${runId}` };
    const { bus } = this.#parts();
    if (step.do === "open_tab") {
      const request = { ...named, ...timeout, profileId, url: step.url };
      return call(bus, operationNamed("browser_tabs_new"), request, options);
    }
    const tabId = run.tabs[step.tab];
    if (tabId === undefined) return Promise.resolve(noTab(run, step.tab));
    return call(bus, operationNamed("program_step"), { ...named, ...timeout, tabId, step, place: run.step }, options);
  }

  /** The run begins where the cursor is; with no tab of its profile it opens one. */
  async #settleTab(entry: Entry<Run>, { cursor }: ProjectState): Promise<Step> {
    const run = entry.value;
    const at = cursor?.profileId === run.profileId ? cursor.tabId : await this.#firstTab(run);
    if (at === null) return "leave";
    await this.#parts().runs.update({ ...run, tabs: { ...run.tabs, [MAIN_TAB]: at } }, entry.revision);
    return "on";
  }

  async #firstTab({ workspaceId, profileId, runId }: Run): Promise<string | null> {
    const request = { workspaceId, profileId, taskId: runId, operationId: `${runId}_${MAIN_TAB}` };
    const answer = await call(this.#parts().bus, operationNamed("browser_tabs_new"), request, {
      caller: `run:${runId}`,
    });
    return answer.ok ? (answer.identity.target?.tabId ?? null) : null;
  }

  async #stand(entry: Entry<Run>, waiting: NonNullable<Run["waiting"]>): Promise<Step> {
    await this.#apply(entry.value, "ask");
    await this.#parts().runs.update(standing(entry.value, waiting), entry.revision);
    return "on";
  }

  async #finish(entry: Entry<Run>): Promise<Step> {
    const { store, effects } = this.#parts();
    const { workspaceId, runId } = entry.value;
    const finish = { input: "finish", taskId: runId, state: "finished", result: null } as const;
    const decision = await store.apply(workspaceId, finish);
    effects.publish(workspaceId, decision);
    return decision.reply.reply === "execution" ? this.#ended(entry, decision.next) : "leave";
  }

  /** The execution is over, in whichever way: the run is too. */
  async #ended(entry: Entry<Run>, state: ProjectState): Promise<Step> {
    const { runs } = this.#parts();
    const ended = state.endedExecutions.find(({ id }) => id === entry.value.runId);
    const final = ended ? (ended.state as NonNullable<Run["final"]>) : "lost";
    await runs.update(over(entry.value, final, ended?.endedAt ?? new Date().toISOString()), entry.revision);
    await runs.forgetSecrets(entry.value);
    return "on";
  }

  /** A run that waits may be stopped, or its unknown step resolved, without us. */
  async #lookAfter(workspaceId: string, runId: string): Promise<void> {
    const { runs, store } = this.#parts();
    const entry = await runs.get(workspaceId, runId);
    const state = await store.find(workspaceId);
    if (!entry || !state || entry.value.state !== "waiting") return;
    const run = entry.value;
    if (state.execution?.id !== runId) return void (await this.#ended(entry, state));
    if (state.execution.state !== "running") return;
    const verdict = state.ended.find(({ operationId }) => operationId === operationIdOf(run))?.verdict;
    if (run.waiting?.why === "outcome_unknown" && (verdict === "done" || verdict === "not_done")) {
      const decision = verdict === "done" ? ("skip" as const) : ("retry" as const);
      await runs.update(goingOn(run, { decision }, new Date().toISOString()), entry.revision);
      return this.drive(workspaceId, runId);
    }
    await this.#apply(run, "ask");
  }

  async #apply({ workspaceId, runId }: Run, input: "ask" | "answered"): Promise<void> {
    const { store, effects } = this.#parts();
    effects.publish(workspaceId, await store.apply(workspaceId, { input, executionId: runId }));
  }

  #tell({ workspaceId, runId, step }: Run, outcome: "done" | "failed" | "unknown"): void {
    this.#parts().effects.tell(workspaceId, { fact: "program.step", runId, step, outcome });
  }
}

function noTab(run: Run, tab: string): Answer {
  const told = `The program has no tab ${tab} in this run: the step that opens it was skipped, or has opened none.`;
  const details = { tab, tabs: run.tabs };
  return { ok: false, failure: failure("MCP_TAB_NOT_FOUND", told, details), identity: noIdentity(operationIdOf(run)) };
}
