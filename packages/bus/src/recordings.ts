import { type RecordedStep, type RecordingHeader, recordedStep, recordingHeader } from "@holdfast/protocol";
import { z } from "zod";
import type { Bus } from "./connect.js";
import { type Bucket, openBucket } from "./kv.js";

/** Recordings of one project that are kept; the oldest goes when one more is begun. */
export const RECORDINGS_PER_PROJECT_MAX = 50;
/** Chunks that are read at a time. */
const CHUNKS_AT_ONCE = 10;

const headers = z.object({ recordings: z.array(recordingHeader) });
const chunk = z.object({ steps: z.array(recordedStep) });
type Headers = z.infer<typeof headers>;

/** The recordings: who records is decided in the list of a project's headers, by compare-and-set. */
export interface Recordings {
  /** Newest first. */
  readonly list: (workspaceId: string) => Promise<readonly RecordingHeader[]>;
  /** Replaces the list by what `change` makes of it; null leaves it as it is. */
  readonly change: (
    workspaceId: string,
    change: (list: readonly RecordingHeader[]) => readonly RecordingHeader[] | null,
  ) => Promise<readonly RecordingHeader[]>;
  /** Whether a project is being recorded, as last heard. */
  readonly follow: () => Promise<(workspaceId: string) => boolean>;
  /** All steps in order, and how many chunks hold them. */
  readonly read: (workspaceId: string, recordingId: string) => Promise<{ steps: RecordedStep[]; chunks: number }>;
  /** Writes one chunk anew. Only the holder of the project's lease writes. */
  readonly write: (place: ChunkPlace, steps: readonly RecordedStep[]) => Promise<void>;
}

export interface ChunkPlace {
  readonly workspaceId: string;
  readonly recordingId: string;
  /** From 0, without a hole. */
  readonly chunk: number;
}

export async function openRecordings(bus: Bus): Promise<Recordings> {
  const lists = await openBucket<Headers>(bus, { name: "HF_RECORDINGS" }, headers);
  const chunks = await openBucket(bus, { name: "HF_RECORDING_STEPS" }, chunk);
  return {
    list: async (workspaceId) => (await lists.get(workspaceId))?.value.recordings ?? [],
    change: async (workspaceId, change) => {
      for (;;) {
        const before = await lists.get(workspaceId);
        const list = before?.value.recordings ?? [];
        const changed = change(list);
        if (changed === null) return list;
        const kept = changed.slice(0, RECORDINGS_PER_PROJECT_MAX);
        const value = { recordings: [...kept] };
        const written = before
          ? await lists.update(workspaceId, value, before.revision)
          : await lists.create(workspaceId, value);
        // Losing means that another write won; this one is then made on top of it.
        if (written === null) continue;
        for (const gone of changed.slice(RECORDINGS_PER_PROJECT_MAX)) await removeSteps(chunks, gone);
        return kept;
      }
    },
    follow: async () => {
      const active = new Set<string>();
      await lists.watch((workspaceId, entry) => {
        if (entry?.value.recordings.some(({ state }) => state === "recording")) active.add(workspaceId);
        else active.delete(workspaceId);
      });
      return (workspaceId) => active.has(workspaceId);
    },
    read: (workspaceId, recordingId) => readSteps(chunks, { workspaceId, recordingId }),
    write: async (place, steps) => {
      const key = keyOf(place, place.chunk);
      const value = { steps: [...steps] };
      const before = await chunks.get(key);
      if (before) await chunks.update(key, value, before.revision);
      else await chunks.create(key, value);
    },
  };
}

type Named = Pick<RecordingHeader, "workspaceId" | "recordingId">;

async function readSteps(
  chunks: Bucket<z.infer<typeof chunk>>,
  named: Named,
): Promise<{ steps: RecordedStep[]; chunks: number }> {
  const steps: RecordedStep[] = [];
  for (let first = 0; ; first += CHUNKS_AT_ONCE) {
    const places = Array.from({ length: CHUNKS_AT_ONCE }, (_, place) => first + place);
    const read = await Promise.all(places.map((place) => chunks.get(keyOf(named, place))));
    for (const [place, entry] of read.entries()) {
      if (!entry) return { steps, chunks: first + place };
      steps.push(...entry.value.steps);
    }
  }
}

async function removeSteps(chunks: Bucket<z.infer<typeof chunk>>, named: Named): Promise<void> {
  for (let place = 0; await chunks.get(keyOf(named, place)); place += 1) await chunks.remove(keyOf(named, place));
}

function keyOf({ workspaceId, recordingId }: Named, place: number): string {
  return `${workspaceId}.${recordingId}.${place}`;
}
