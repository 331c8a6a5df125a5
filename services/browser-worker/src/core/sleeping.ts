/** A tab that has a page, as far as it matters for sleep. */
export interface Awake {
  readonly workspaceId: string;
  readonly tabId: string;
  /** Monotonic ms of its last use, or of its coming. */
  readonly usedAt: number;
  /** Nothing is under way in it, no dialog is open, and it is not on its way. */
  readonly free: boolean;
}

export interface SleepLimits {
  /** Pages that one project, and one worker, may have. */
  readonly perProject: number;
  readonly perWorker: number;
  /** ms after its last use at which a tab sleeps anyway. */
  readonly idleMs: number;
  /** ms for which a tab that was just used is let be, whatever the limits. */
  readonly restMs: number;
  /** ms after its last use at which a profile without pages gives its browser context back. */
  readonly contextIdleMs: number;
  /** Bytes that the browser may use. */
  readonly memoryBytes: number;
  /** How many tabs are put to sleep for memory's sake before it is measured again. */
  readonly memoryStep: number;
}

/**
 * The tabs to put to sleep, those that were not used for the longest time first. Whether one of them is the cursor of a
 * busy project is looked up by the caller, who then skips it: there are more than are wanted, so that others step in.
 * @param memoryBytes what the browser uses now; null if it cannot be measured
 */
export function sleepers(
  awake: readonly Awake[],
  at: { readonly now: number; readonly memoryBytes: number | null },
  limits: SleepLimits,
): { readonly tab: Awake; readonly why: "idle" | "project" | "worker" | "memory" }[] {
  const byAge = [...awake].sort((a, b) => a.usedAt - b.usedAt);
  const able = byAge.filter(({ free, usedAt }) => free && at.now - usedAt >= limits.restMs);
  const over = (count: number, max: number): number => Math.max(0, count - max);
  const perProject = new Map<string, number>();
  for (const { workspaceId } of awake) perProject.set(workspaceId, (perProject.get(workspaceId) ?? 0) + 1);
  const crowded = [...perProject].flatMap(([workspaceId, count]) =>
    able.filter((tab) => tab.workspaceId === workspaceId).slice(0, over(count, limits.perProject)),
  );
  const idle = able.filter(({ usedAt }) => at.now - usedAt >= limits.idleMs);
  const hungry = at.memoryBytes !== null && at.memoryBytes > limits.memoryBytes;
  const chosen = new Map<Awake, "idle" | "project" | "worker" | "memory">();
  const choose = (tabs: readonly Awake[], why: "idle" | "project" | "worker" | "memory"): void => {
    for (const tab of tabs) if (!chosen.has(tab)) chosen.set(tab, why);
  };
  choose(idle, "idle");
  choose(crowded, "project");
  choose(able.slice(0, over(awake.length, limits.perWorker)), "worker");
  if (hungry) choose(able.slice(0, limits.memoryStep), "memory");
  return [...chosen].map(([tab, why]) => ({ tab, why }));
}
