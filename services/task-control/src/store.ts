import { type Bucket, type Bus, type Entry, openBucket } from "@holdfast/bus";
import { HoldfastError } from "@holdfast/protocol";
import { type Abort, Actor } from "./actor.js";
import type { Decision, EndSeen, Input } from "./core/inputs.js";
import type { ProjectState } from "./core/state.js";
import type { Decided } from "./input-record.js";
import { PROJECTS_CACHED_MAX, VERDICT_WAIT_MS } from "./limits.js";
import { projectState } from "./shapes.js";

/** An input without its time: the store stamps it. */
export type Untimed<I = Input> = I extends Input ? Omit<I, "at"> : never;

/** The projects: read and changed here, and nowhere else. */
export interface Store {
  /** The stored state, fresh. @throws HoldfastError `MCP_PROJECT_NOT_FOUND`, `MCP_BUS_DOWN` */
  readonly get: (workspaceId: string) => Promise<ProjectState>;
  /** The state as this process last saw it: good enough to look things up by, never to refuse by. */
  readonly recall: (workspaceId: string) => Promise<ProjectState>;
  readonly find: (workspaceId: string) => Promise<ProjectState | null>;
  /** False if it was there already. */
  readonly create: (state: ProjectState) => Promise<boolean>;
  /** Decides and stores; waits out the verdict on a quit. */
  readonly apply: (workspaceId: string, input: Untimed) => Promise<Decision>;
  readonly list: () => Promise<string[]>;
  /**
   * Takes an end from the ledger that was not reported yet: its asker has the answer already, and nobody is refused,
   * and nothing is shown as running, because of an operation that has ended. False if there is none.
   * @param operationId one that is pending; by default the first
   */
  readonly catchUp: (workspaceId: string, state: ProjectState, operationId?: string) => Promise<boolean>;
}

export interface StoreHooks {
  readonly now: () => Date;
  readonly abort: (workspaceId: string, effect: Parameters<Abort>[0]) => void;
  /** The end of an operation, if the ledger has it. */
  readonly endOf: (workspaceId: string, operationId: string) => Promise<EndSeen | null>;
  /** An end was read off the ledger before its report came. */
  readonly caughtUp: (workspaceId: string, decision: Decision) => void;
  readonly decided?: Decided | undefined;
}

export async function openStore(bus: Bus, hooks: StoreHooks): Promise<Store> {
  const bucket: Bucket<ProjectState> = await openBucket<ProjectState>(bus, { name: "HF_PROJECTS" }, projectState);
  const actor = actors(bucket, hooks);
  const find = async (workspaceId: string): Promise<ProjectState | null> =>
    (await bucket.get(workspaceId))?.value ?? null;
  const decide = (workspaceId: string, input: Untimed): Promise<Decision> =>
    actor(workspaceId).apply({ ...input, at: hooks.now().toISOString() } as Input);
  const catchUp: Store["catchUp"] = async (workspaceId, { pending }, operationId = pending[0]?.operationId) => {
    const wanted = pending.find((op) => op.operationId === operationId);
    const end = wanted ? await hooks.endOf(workspaceId, wanted.operationId) : null;
    if (end) hooks.caughtUp(workspaceId, await decide(workspaceId, { input: "ended", ...end }));
    return end !== null;
  };
  return {
    find,
    catchUp,
    get: async (workspaceId) => (await find(workspaceId)) ?? missing(workspaceId),
    recall: (workspaceId) => actor(workspaceId).recall(),
    create: async (state) => (await bucket.create(state.workspaceId, state)) !== null,
    list: () => bucket.written(),
    apply: async (workspaceId, input) => {
      const first = await decide(workspaceId, input);
      const { reply } = first.reply;
      if (reply === "wait") await verdict(bucket, workspaceId);
      else if (reply !== "refused" || !(await catchUp(workspaceId, first.next))) return first;
      const second = await decide(workspaceId, input);
      if (second.reply.reply !== "wait") return second;
      throw new HoldfastError("MCP_CLOSING", "Somebody asks to quit, and the verdict is not there yet.");
    },
  };
}

function missing(workspaceId: string): never {
  throw new HoldfastError("MCP_PROJECT_NOT_FOUND", `There is no project ${workspaceId}: open it with project_open.`, {
    workspaceId,
  });
}

function actors(bucket: Bucket<ProjectState>, hooks: StoreHooks): (workspaceId: string) => Actor {
  const known = new Map<string, Actor>();
  return (workspaceId) => {
    const found = known.get(workspaceId);
    if (found) return found;
    makeRoom(known);
    const made = new Actor(bucket, workspaceId, (effect) => hooks.abort(workspaceId, effect), hooks.decided);
    known.set(workspaceId, made);
    return made;
  };
}

/** Resolves when nobody's ask to quit stands any more, or after `VERDICT_WAIT_MS`. */
async function verdict(bucket: Bucket<ProjectState>, workspaceId: string): Promise<void> {
  let settle: () => void = () => undefined;
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const seen = (_key: string, entry: Entry<ProjectState> | null): void => {
    if (entry?.value.quit?.phase !== "asked") settle();
  };
  const watching = await bucket.watch(seen, workspaceId);
  const timer = setTimeout(settle, VERDICT_WAIT_MS);
  await settled;
  clearTimeout(timer);
  watching.stop();
}

function makeRoom(actors: Map<string, Actor>): void {
  if (actors.size < PROJECTS_CACHED_MAX) return;
  for (const [workspaceId, found] of actors) {
    if (!found.idle) continue;
    actors.delete(workspaceId);
    return;
  }
}
