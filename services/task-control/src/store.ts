import { type Bucket, type Bus, type Entry, openBucket } from "@holdfast/bus";
import { HoldfastError } from "@holdfast/protocol";
import { type Abort, Actor } from "./actor.js";
import type { Decision, Input } from "./core/inputs.js";
import type { ProjectState } from "./core/state.js";
import { PROJECTS_CACHED_MAX, VERDICT_WAIT_MS } from "./limits.js";
import { projectState } from "./shapes.js";

/** An input without its time: the store stamps it. */
export type Untimed<I = Input> = I extends Input ? Omit<I, "at"> : never;

/** The projects: read and changed here, and nowhere else. */
export interface Store {
  /** The stored state, fresh. @throws HoldfastError `MCP_PROJECT_NOT_FOUND`, `MCP_BUS_DOWN` */
  readonly get: (workspaceId: string) => Promise<ProjectState>;
  readonly find: (workspaceId: string) => Promise<ProjectState | null>;
  /** False if it was there already. */
  readonly create: (state: ProjectState) => Promise<boolean>;
  /** Decides and stores; waits out the verdict on a quit. */
  readonly apply: (workspaceId: string, input: Untimed) => Promise<Decision>;
  readonly list: () => Promise<string[]>;
}

export async function openStore(bus: Bus, now: () => Date, abort: (workspaceId: string, ...effect: Parameters<Abort>) => void): Promise<Store> {
  const bucket: Bucket<ProjectState> = await openBucket<ProjectState>(bus, { name: "HF_PROJECTS" }, projectState);
  const actors = new Map<string, Actor>();
  const actor = (workspaceId: string): Actor => {
    const found = actors.get(workspaceId);
    if (found) return found;
    makeRoom(actors);
    const made = new Actor(bucket, workspaceId, (effect) => abort(workspaceId, effect));
    actors.set(workspaceId, made);
    return made;
  };
  const find = async (workspaceId: string): Promise<ProjectState | null> => (await bucket.get(workspaceId))?.value ?? null;
  return {
    find,
    get: async (workspaceId) => {
      const found = await find(workspaceId);
      if (found) return found;
      throw new HoldfastError("MCP_PROJECT_NOT_FOUND", `There is no project ${workspaceId}: open it with project_open.`, { workspaceId });
    },
    create: async (state) => (await bucket.create(state.workspaceId, state)) !== null,
    list: () => bucket.keys(),
    apply: async (workspaceId, input) => {
      const stamped = (): Input => ({ ...input, at: now().toISOString() }) as Input;
      const first = await actor(workspaceId).apply(stamped());
      if (first.reply.reply !== "wait") return first;
      await verdict(bucket, workspaceId);
      const second = await actor(workspaceId).apply(stamped());
      if (second.reply.reply !== "wait") return second;
      throw new HoldfastError("MCP_CLOSING", "Somebody asks to quit, and the verdict is not there yet.");
    },
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
