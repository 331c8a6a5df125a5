import type { Entry } from "@holdfast/bus";
import type { Run } from "./core/run.js";
import { RUN_BEAT_MS } from "./limits.js";
import type { RunStore } from "./run-store.js";

/** Shows signs of life of a run while a step goes on. Null: somebody else has changed the run meanwhile. */
export async function beating<T>(
  runs: Pick<RunStore, "update">,
  entry: Entry<Run>,
  work: Promise<T>,
): Promise<{ entry: Entry<Run>; answer: T } | null> {
  let current: Entry<Run> | null = entry;
  let beats: Promise<void> = Promise.resolve();
  const beat = async (): Promise<void> => {
    if (!current) return;
    const value = { ...current.value, beat: current.value.beat + 1 };
    const revision = await runs.update(value, current.revision);
    current = revision === null ? null : { value, revision };
  };
  const timer = setInterval(() => {
    beats = beats.then(beat, beat);
  }, RUN_BEAT_MS);
  try {
    const answer = await work;
    clearInterval(timer);
    await beats;
    return current ? { entry: current, answer } : null;
  } finally {
    clearInterval(timer);
  }
}
