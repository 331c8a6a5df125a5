import type { ServiceName, StackEvent } from "./options.js";
import type { Supervised } from "./supervise.js";

/** Why a stack ends. `quit`: the services end by themselves, in good order. `failed`: it could not be kept up. */
export type Reason = "quit" | "stop" | "kill" | "failed";

/** After a quit the services have this long to end by themselves, in ms. */
const QUIT_DEADLINE_MS = 10_000;
/** How long each kind of child has to end when asked, in ms. A worker saves the state of its projects. */
const END_DEADLINES_MS = { "mcp-gateway": 3_000, "browser-worker": 10_000, "task-control": 3_000 } as const;
const BUS_END_DEADLINE_MS = 5_000;
/** Callers first, so that nothing new comes; the one that decides last, so that what the others report is stored. */
const ORDER: readonly ServiceName[] = ["mcp-gateway", "browser-worker", "task-control"];

export interface Closing {
  /** Takes a child into what will be ended. */
  readonly add: (child: Supervised) => Supervised;
  /** Forgets a child that has ended and is replaced by another. */
  readonly remove: (child: Supervised) => void;
  readonly children: () => readonly Supervised[];
  readonly isClosing: () => boolean;
  /** Ends everything. Asked again it joins the end in progress; `kill` also cuts that one short. */
  readonly close: (reason: Reason) => Promise<void>;
  readonly closed: Promise<{ readonly code: number }>;
}

/**
 * Knows the children of a stack and ends them.
 * @param cleanUp when the last has ended
 */
export function closingOf(tell: (event: StackEvent) => void, cleanUp: () => void): Closing {
  const all: Supervised[] = [];
  let inProgress: Promise<void> | null = null;
  let resolveClosed: (end: { code: number }) => void = () => undefined;
  const closed = new Promise<{ code: number }>((resolve) => {
    resolveClosed = resolve;
  });

  async function run(reason: Reason): Promise<void> {
    tell({ event: "closing", child: "", text: SENTENCES[reason] });
    for (const child of all) child.letGo();
    if (reason === "kill") killAll(all);
    if (reason === "quit") await endBySelf(services(all));
    for (const service of ORDER) await endAll(ofKind(all, service), END_DEADLINES_MS[service]);
    await endAll(ofKind(all, "nats-server"), BUS_END_DEADLINE_MS);
    cleanUp();
    tell({ event: "stopped", child: "", text: "everything has ended" });
    resolveClosed({ code: reason === "failed" ? 1 : 0 });
  }

  return {
    add: (child) => {
      all.push(child);
      // It came too late: it will not start any more.
      if (inProgress !== null) child.letGo();
      return child;
    },
    remove: (child) => void all.splice(all.indexOf(child), 1),
    children: () => all,
    isClosing: () => inProgress !== null,
    closed,
    close: (reason) => {
      if (inProgress !== null && reason === "kill") killAll(all);
      inProgress ??= run(reason);
      return inProgress;
    },
  };
}

const SENTENCES: Record<Reason, string> = {
  quit: "quit: the services end",
  stop: "stopping: gateways, workers, task-control, the server",
  kill: "ending everything at once",
  failed: "what was started is ended",
};

function services(all: readonly Supervised[]): Supervised[] {
  return all.filter((child) => child.plan.service !== "nats-server");
}

function ofKind(all: readonly Supervised[], kind: string): Supervised[] {
  return all.filter((child) => child.plan.service === kind);
}

function killAll(all: readonly Supervised[]): void {
  for (const child of all) child.kill();
}

async function endAll(children: readonly Supervised[], deadlineMs: number): Promise<void> {
  await Promise.all(children.map((child) => child.end(deadlineMs)));
}

async function endBySelf(children: readonly Supervised[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, QUIT_DEADLINE_MS);
  });
  await Promise.race([Promise.all(children.map((child) => child.gone())), deadline]);
  clearTimeout(timer);
}
