import { begin, describeExit, type Exit, type Life, type Program } from "./life.js";
import { type ChildName, type StackChild, StackError, type StackEvent } from "./options.js";

/** A child that dies more often than this within the window is not started again: the stack has failed. */
export const RESTARTS_MAX = 5;
export const RESTART_WINDOW_MS = 60_000;
/** The first restart comes after this, in ms; each further one within the window after twice as long. */
export const BACKOFF_MS = 100;
export const BACKOFF_MAX_MS = 5_000;

export interface Plan {
  readonly service: ChildName;
  readonly name: string;
  /** Made anew for each life. `port` is the one of the life before, so that a restarted child is found where it was. */
  readonly program: (port: number | undefined) => Program;
}

export interface Hooks {
  readonly tell: (event: StackEvent) => void;
  /** A child ended by itself with code 0: a quit is in progress. */
  readonly onQuit: () => void;
  /** A child's process has ended, and not because everything ends. */
  readonly onDeath?: (program: Program) => void;
  /** A child cannot be kept up. */
  readonly onGiveUp: (why: string) => void;
}

export interface Supervised {
  readonly plan: Plan;
  readonly view: () => StackChild;
  /** Rejects with a StackError when the first life does not become ready. */
  readonly start: () => Promise<void>;
  /** From now on an end is an end. */
  readonly letGo: () => void;
  /** Settles when there is no life and there will be none. Only after `letGo`. */
  readonly gone: () => Promise<void>;
  readonly end: (deadlineMs: number) => Promise<void>;
  readonly kill: () => void;
}

/** How long to wait, in ms, before a child that has died `deaths` times within the window is started; null: no more. */
export function backoff(deaths: number): number | null {
  return deaths > RESTARTS_MAX ? null : Math.min(BACKOFF_MS * 2 ** (deaths - 1), BACKOFF_MAX_MS);
}

/** Keeps one child running. */
export function supervise(plan: Plan, hooks: Hooks): Supervised {
  const care: Care = { plan, hooks, life: null, port: undefined, state: "stopped", kept: true, deaths: [] };
  return {
    plan,
    view: () => viewOf(care),
    start: () => live(care),
    letGo: () => letGo(care),
    gone: async () => void (await care.life?.exited),
    end: async (deadlineMs) => void (await care.life?.end(deadlineMs)),
    kill: () => care.life?.kill(),
  };
}

/** What is known of one child, over all its lives. */
interface Care {
  readonly plan: Plan;
  readonly hooks: Hooks;
  life: Life | null;
  port: number | undefined;
  state: StackChild["state"];
  /** An end is not the end: it is started again. */
  kept: boolean;
  /** When it died, on the monotonic clock. */
  deaths: readonly number[];
  waiting?: NodeJS.Timeout;
}

async function live(care: Care): Promise<void> {
  const { name } = care.plan;
  if (!care.kept) throw new StackError(`${name} is not started: the stack is ending.`);
  care.state = "starting";
  const program = care.plan.program(care.port);
  const life = begin(program);
  care.life = life;
  tell(care, "starting", `${name} starts (process ${life.pid})`);
  const exited = life.exited.then((exit) => {
    care.life = null;
    care.state = "stopped";
    if (care.kept) care.hooks.onDeath?.(program);
    return exit;
  });
  try {
    care.port = (await life.ready).port ?? care.port;
  } catch (thrown) {
    life.kill();
    await exited;
    throw thrown;
  }
  care.state = "running";
  tell(care, "ready", `${name} is ready${care.port === undefined ? "" : ` on port ${care.port}`}`);
  void exited.then((exit) => died(care, exit));
}

function died(care: Care, exit: Exit): void {
  // A server that was asked to end may tell any code; only a signal or an end by itself says something.
  const how = care.kept || exit.signal !== null ? ` (${describeExit(exit)})` : "";
  tell(care, "exited", `${care.plan.name} ended${how}`);
  if (!care.kept) return;
  if (exit.code === 0) care.hooks.onQuit();
  else again(care);
}

function again(care: Care): void {
  const now = performance.now();
  care.deaths = [...care.deaths.filter((at) => now - at < RESTART_WINDOW_MS), now];
  const delay = backoff(care.deaths.length);
  if (delay === null) {
    care.hooks.onGiveUp(`${care.plan.name} ended ${care.deaths.length} times within ${RESTART_WINDOW_MS / 1000} s`);
    return;
  }
  care.state = "restarting";
  tell(care, "restarting", `${care.plan.name} is started again in ${delay} ms`);
  care.waiting = setTimeout(() => {
    live(care).catch((thrown: unknown) => {
      tell(care, "note", thrown instanceof Error ? thrown.message : String(thrown));
      if (care.kept) again(care);
    });
  }, delay);
}

function letGo(care: Care): void {
  care.kept = false;
  clearTimeout(care.waiting);
  if (care.state === "restarting") care.state = "stopped";
}

function viewOf({ plan, life, state, port }: Care): StackChild {
  const { service, name } = plan;
  return { service, name, pid: life?.pid ?? 0, state, ...(port !== undefined && { port }) };
}

function tell(care: Care, event: StackEvent["event"], text: string): void {
  care.hooks.tell({ event, child: care.plan.name, text });
}
