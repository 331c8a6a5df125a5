import { type Blocker, HoldfastError, type SavedProject } from "@holdfast/protocol";
import type { Decision } from "./core/inputs.js";
import { isBusy, type ProjectState } from "./core/state.js";
import type { Parts } from "./parts.js";
import { release } from "./release.js";

/**
 * Ends the application, or changes nothing.
 * Every project is asked first, each by compare-and-set against its own new work; one that is busy refuses for all,
 * and every ask is taken back. Work that comes meanwhile waits for the verdict, so either the quit or the work is refused.
 * @throws HoldfastError `MCP_BACKGROUND_PROJECT_RUNNING` with `details.blockers`, `MCP_CLOSING`
 */
export async function quit(parts: Parts): Promise<{ state: "closing"; saved: SavedProject[] }> {
  const quitId = crypto.randomUUID();
  while (!(await parts.quitMark.raise(quitId))) {
    if ((await parts.quitMark.verdict()) === "closing") throw new HoldfastError("MCP_CLOSING");
  }
  const asked: string[] = [];
  try {
    await askAll(parts, quitId, asked);
    for (const workspaceId of asked) granted(await parts.store.apply(workspaceId, { input: "quit_close", quitId }));
    await parts.quitMark.close(quitId);
  } catch (thrown) {
    await Promise.allSettled(
      asked.map((workspaceId) => parts.store.apply(workspaceId, { input: "quit_release", quitId })),
    );
    await parts.quitMark.lower(quitId);
    throw thrown;
  }
  parts.effects.tell("_all", { fact: "system.closing" });
  const saved = await Promise.all(asked.map((workspaceId) => release(parts, workspaceId)));
  return { state: "closing", saved };
}

/** @throws HoldfastError when one is busy, once all have been asked: the refusal names all of them */
async function askAll(parts: Parts, quitId: string, asked: string[]): Promise<void> {
  const blockers: Blocker[] = [];
  for (const workspaceId of await parts.store.list()) {
    const decision = await parts.store.apply(workspaceId, { input: "quit_ask", quitId });
    if (decision.reply.reply === "refused") blockers.push(blockerOf(decision.next));
    else asked.push(workspaceId);
  }
  if (blockers.length > 0) throw refusal(blockers);
}

/** Only an ask that has lapsed is refused here, and then its project may have taken new work. */
function granted(decision: Decision): void {
  if (decision.reply.reply === "refused") throw refusal([blockerOf(decision.next)]);
}

function refusal(blockers: readonly Blocker[]): HoldfastError {
  const named = blockers.map(({ workspaceId, execution, operations }) =>
    execution
      ? `${workspaceId} (${execution.kind} ${execution.id}, since ${execution.since})`
      : `${workspaceId} (${operations} operations)`,
  );
  return new HoldfastError(
    "MCP_BACKGROUND_PROJECT_RUNNING",
    `Quit is refused, nothing has changed. Busy: ${named.join(", ")}.`,
    { blockers },
  );
}

function blockerOf(state: ProjectState): Blocker {
  const { workspaceId, execution, pending } = state;
  const since = execution?.since ?? pending[0]?.at ?? "";
  const told = execution
    ? { kind: execution.kind, id: execution.id, profileId: execution.profileId, state: execution.state, since }
    : null;
  return { workspaceId, execution: told, operations: isBusy(state) ? pending.length : 0, since };
}
