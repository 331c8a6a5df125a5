import {
  type Handlers,
  HoldfastError,
  PROGRAM_BYTES_MAX,
  type Program,
  program,
  type programOperations,
} from "@holdfast/protocol";
import { exported } from "./core/export-program.js";
import { programFrom } from "./core/from-recording.js";
import { PROGRAMS_MAX } from "./limits.js";
import type { Parts } from "./parts.js";
import { find } from "./recording.js";
import { resumeRun, runProgram, runTold } from "./run.js";
import type { SavedProgram } from "./run-store.js";
import { mintId, savedProgram } from "./saved-program.js";
import { stopExecution } from "./task.js";

export function programHandlers(parts: Parts): Handlers<typeof programOperations, unknown> {
  const { store, runs } = parts;
  return {
    program_save: async (request) => {
      await store.get(request.workspaceId);
      const made = await programOf(parts, request);
      return save(parts, request.workspaceId, request.programId ?? mintId("prog"), made);
    },
    program_list: async ({ workspaceId }) => {
      await store.get(workspaceId);
      const keys = await runs.programs.keys(`${workspaceId}.*`);
      const saved = await Promise.all(keys.map((key) => runs.programs.get(key)));
      return { workspaceId, programs: saved.flatMap((entry) => (entry ? [entry.value.info] : [])) };
    },
    program_get: ({ workspaceId, programId }) => savedProgram(parts, workspaceId, programId),
    program_export: async ({ workspaceId, programId }) => {
      const saved = await savedProgram(parts, workspaceId, programId);
      return { programId, language: "typescript", text: exported(saved.program, programId) };
    },
    program_run: (request) => runProgram(parts, request),
    program_status: async ({ workspaceId, runId }) => runTold(parts, workspaceId, runId),
    program_resume: (request) => resumeRun(parts, request),
    program_stop: ({ workspaceId, profileId, runId }) =>
      stopExecution(parts, workspaceId, { profileId, executionId: runId }),
  };
}

interface Source {
  readonly workspaceId: string;
  readonly program?: unknown;
  readonly fromRecording?: string | undefined;
  readonly only: "all" | "person";
}

async function programOf(parts: Parts, { workspaceId, program: given, fromRecording, only }: Source): Promise<Program> {
  if ((given === undefined) === (fromRecording === undefined))
    throw new HoldfastError("MCP_BAD_ARGUMENTS", "program_save: give program, or fromRecording.");
  if (fromRecording === undefined) return checked(given);
  const header = await find(parts, workspaceId, fromRecording);
  const { steps } = await parts.recordings.read(workspaceId, header.recordingId);
  const wanted = only === "all" ? steps : steps.filter(({ cause }) => cause === null);
  return checked(programFrom(header, wanted));
}

/** @throws HoldfastError `MCP_BAD_ARGUMENTS` with every problem that was found */
function checked(given: unknown): Program {
  const bytes = Buffer.byteLength(JSON.stringify(given) ?? "");
  if (bytes > PROGRAM_BYTES_MAX)
    throw new HoldfastError("MCP_BAD_ARGUMENTS", `The program has ${bytes} bytes; ${PROGRAM_BYTES_MAX} are allowed.`);
  const parsed = program.safeParse(given);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({ at: issue.path.join("."), problem: issue.message }));
  const told = issues.map(({ at, problem }) => (at ? `${at}: ${problem}` : problem)).join("; ");
  throw new HoldfastError("MCP_BAD_ARGUMENTS", `The program is not of its form. ${told}`, { issues });
}

async function save(parts: Parts, workspaceId: string, programId: string, made: Program): Promise<SavedProgram> {
  const { programs } = parts.runs;
  const key = `${workspaceId}.${programId}`;
  for (;;) {
    const before = await programs.get(key);
    if (!before && (await programs.keys(`${workspaceId}.*`)).length >= PROGRAMS_MAX)
      throw new HoldfastError("MCP_QUEUE_FULL", `The project has ${PROGRAMS_MAX} programs already.`);
    const info = {
      programId,
      workspaceId,
      title: made.title,
      version: (before?.value.info.version ?? 0) + 1,
      savedAt: new Date().toISOString(),
      steps: made.steps.length,
      params: made.params.map(({ name }) => name),
      secrets: made.secrets.map(({ name }) => name),
    };
    const saved = { info, program: made };
    const written = before ? await programs.update(key, saved, before.revision) : await programs.create(key, saved);
    // Losing means that another save won; this one then makes the next version.
    if (written !== null) return saved;
  }
}
