/** A worker as it was last heard of. */
export interface Candidate {
  readonly workerId: string;
  readonly state: string;
  readonly projects: number;
  /** ms since its last sign of life. */
  readonly silentMs: number;
}

/**
 * The worker that is asked to take a project: of those that gave a sign of life just now, the one with the fewest. One that
 * was asked and did not answer is asked again only when there is no other.
 */
export function chooseWorker(all: readonly Candidate[], asked: readonly string[], silentMsMax: number): string | null {
  const alive = all.filter(({ state, silentMs }) => state === "running" && silentMs <= silentMsMax);
  const rank = ({ workerId, projects }: Candidate): number =>
    asked.includes(workerId) ? Number.MAX_SAFE_INTEGER : projects;
  const [best] = [...alive].sort((a, b) => rank(a) - rank(b) || (a.workerId < b.workerId ? -1 : 1));
  return best?.workerId ?? null;
}
