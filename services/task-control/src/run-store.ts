import { type Bucket, type Bus, type Entry, openBucket } from "@holdfast/bus";
import { type Program, program, programInfo, programStep, runWaiting, stepResult } from "@holdfast/protocol";
import { z } from "zod";
import type { Run } from "./core/run.js";
import { RUN_KEPT_MS } from "./limits.js";

const values = z.record(z.string(), z.string());

/** The stored form of `Run`. The two are held together by the compiler. */
const runRecord = z.object({
  runId: z.string(),
  workspaceId: z.string(),
  profileId: z.string(),
  programId: z.string(),
  version: z.int(),
  steps: z.int(),
  state: z.enum(["going", "waiting", "ended"]),
  final: z.enum(["finished", "failed", "stopped", "lost"]).nullable(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  step: z.int(),
  attempt: z.int(),
  tabs: values,
  params: values,
  replaced: z.record(z.string(), programStep),
  results: z.array(stepResult),
  waiting: runWaiting.nullable(),
  beat: z.int(),
}) satisfies z.ZodType<Run>;

const savedProgram = z.object({ info: programInfo, program });
export type SavedProgram = z.infer<typeof savedProgram>;

/** A run that has not ended, as last heard of. */
export interface Active {
  readonly workspaceId: string;
  readonly runId: string;
  readonly state: "going" | "waiting";
  /** Monotonic ms. */
  readonly heardAt: number;
}

/** Programs and their runs. */
export interface RunStore {
  readonly programs: Bucket<SavedProgram>;
  readonly get: (workspaceId: string, runId: string) => Promise<Entry<Run> | null>;
  /** False if there is one of that id. The program is the run's own copy: saving another version changes no run. */
  readonly create: (run: Run, copy: Program, secrets: Readonly<Record<string, string>>) => Promise<boolean>;
  /** The new revision, or null if somebody else wrote since. */
  readonly update: (run: Run, revision: number) => Promise<number | null>;
  readonly remove: (run: Run) => Promise<void>;
  readonly programOf: (run: Run) => Promise<Program | null>;
  /** Kept in the server's memory while the run lives; gone with the server, and then asked for again. */
  readonly secretsOf: (run: Run) => Promise<Readonly<Record<string, string>>>;
  readonly addSecrets: (run: Run, secrets: Readonly<Record<string, string>>) => Promise<void>;
  readonly forgetSecrets: (run: Run) => Promise<void>;
  readonly active: () => readonly Active[];
  /** Ids of a project's runs. */
  readonly ids: (workspaceId: string) => Promise<string[]>;
}

type Named = Pick<Run, "workspaceId" | "runId">;
const keyOf = ({ workspaceId, runId }: Named): string => `${workspaceId}.${runId}`;

export async function openRunStore(bus: Bus): Promise<RunStore> {
  const ttlMs = RUN_KEPT_MS;
  const runs = await openBucket<Run>(bus, { name: "HF_RUNS", ttlMs }, runRecord);
  const copies = await openBucket<Program>(bus, { name: "HF_RUN_PROGRAMS", ttlMs }, program);
  const secrets = await openBucket(bus, { name: "HF_RUN_SECRETS", ttlMs, inMemory: true }, values);
  const active = await watchActive(runs);
  const put = async (key: string, added: Readonly<Record<string, string>>): Promise<void> => {
    const before = await secrets.get(key);
    const all = { ...before?.value, ...added };
    if (before) await secrets.update(key, all, before.revision);
    else await secrets.create(key, all);
  };
  return {
    programs: await openBucket<SavedProgram>(bus, { name: "HF_PROGRAMS" }, savedProgram),
    get: (workspaceId, runId) => runs.get(keyOf({ workspaceId, runId })),
    create: async (run, copy, given) => {
      if ((await runs.get(keyOf(run))) !== null) return false;
      await copies.create(keyOf(run), copy);
      if (Object.keys(given).length > 0) await put(keyOf(run), given);
      return (await runs.create(keyOf(run), run)) !== null;
    },
    update: (run, revision) => runs.update(keyOf(run), run, revision),
    remove: async (run) => {
      await Promise.all([runs.remove(keyOf(run)), copies.remove(keyOf(run)), secrets.remove(keyOf(run))]);
    },
    programOf: async (run) => (await copies.get(keyOf(run)))?.value ?? null,
    secretsOf: async (run) => (await secrets.get(keyOf(run)))?.value ?? {},
    addSecrets: (run, added) => put(keyOf(run), added),
    forgetSecrets: async (run) => void (await secrets.remove(keyOf(run))),
    active,
    ids: async (workspaceId) => (await runs.keys(`${workspaceId}.*`)).map((key) => key.slice(workspaceId.length + 1)),
  };
}

async function watchActive(runs: Bucket<Run>): Promise<() => readonly Active[]> {
  const known = new Map<string, Active>();
  await runs.watch((key, entry) => {
    if (!entry || entry.value.state === "ended") return void known.delete(key);
    const { workspaceId, runId, state } = entry.value;
    known.set(key, { workspaceId, runId, state, heardAt: performance.now() });
  });
  return () => [...known.values()];
}
