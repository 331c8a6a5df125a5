import { until } from "@holdfast/testkit";
import type { Stage } from "./recordings.js";
import { type Client, told } from "./work.js";

export interface RunTold {
  readonly runId: string;
  readonly state: string;
  readonly step: number;
  readonly steps: number;
  readonly tabs: Readonly<Record<string, string>>;
  readonly results: readonly {
    readonly step: number;
    readonly outcome: string;
    readonly locator: unknown;
    readonly code: string | null;
  }[];
  readonly waiting: {
    readonly why: string;
    readonly step: number;
    readonly message: string;
    readonly code: string | null;
    readonly tried: unknown;
    readonly snapshot: string | null;
    readonly screenshot: unknown;
    readonly missing: readonly string[];
  } | null;
}

export async function run(client: Client, args: Record<string, unknown>): Promise<RunTold> {
  return told(await client.call("program_run", args));
}

export async function runOf(client: Client, workspaceId: string, runId: string): Promise<RunTold> {
  return told(await client.call("program_status", { workspaceId, runId }));
}

/** ms a whole run of a test may take. */
const RUN_MS = 60_000;

/** Waits until the run is in one of the states. */
export function runIs(client: Client, workspaceId: string, runId: string, states: readonly string[]): Promise<RunTold> {
  const look = async (): Promise<RunTold | null> => {
    const now = await runOf(client, workspaceId, runId);
    return states.includes(now.state) && (now.state !== "waiting_for_decision" || now.waiting !== null) ? now : null;
  };
  return until(look, { deadlineMs: RUN_MS, why: `the run ${runId} is ${states.join(" or ")}` });
}

/** The states in which a run does nothing more by itself. */
export const ENDS = ["finished", "stopped", "failed", "lost", "waiting_for_decision"];

const target = (css: string, ...others: object[]): object => ({ locators: [...others, { by: "css", value: css }] });

/** Programs of a library, and the projects that they run in, on one stage. */
export interface Workshop {
  readonly target: (css: string, ...others: object[]) => object;
  readonly click: (css: string, more?: object) => object;
  readonly goTo: (path: string) => object;
  /** What the server was asked for since a place in its log. */
  readonly logSince: (from: number) => string[];
  /** How often a page of the flow told the server this. */
  readonly noted: (what: string) => number;
  readonly save: (programId: string, program: { steps: readonly object[]; [more: string]: unknown }) => Promise<void>;
  /** Runs a program of the library in a project of its own, and waits for its end or for what it waits for. */
  readonly begin: (programId: string, more?: Record<string, unknown>) => Promise<RunTold>;
  readonly resume: (waiting: RunTold, workspaceId: string, more: object) => Promise<RunTold>;
}

export function workshopOn(stage: Stage): Workshop {
  return {
    target,
    click: (css, more = {}) => ({ do: "click", target: target(css), ...more }),
    goTo: (path) => ({ do: "navigate", url: stage.url(path) }),
    logSince: (from) =>
      stage
        .pages()
        .requests.slice(from)
        .map(({ method, url }) => `${method} ${url}`),
    noted: (what) => stage.pages().requests.filter(({ url }) => url.endsWith(`/flow/note?${what}`)).length,
    save: async (programId, program) => {
      told(await stage.client().call("project_open", { workspaceId: "library" }));
      told(await stage.client().call("program_save", { workspaceId: "library", programId, program }));
    },
    begin: async (programId, more = {}) => {
      const client = stage.client();
      told(await client.call("project_open", { workspaceId: programId }));
      const named = { workspaceId: programId, programId, from: "library", runId: `run-${programId}` };
      const { runId } = await run(client, { ...named, ...more });
      return runIs(client, programId, runId, ENDS);
    },
    resume: async ({ runId }, workspaceId, more) => {
      told(await stage.client().call("program_resume", { workspaceId, runId, ...more }));
      return runIs(stage.client(), workspaceId, runId, ENDS);
    },
  };
}
