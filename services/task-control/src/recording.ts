import { request } from "@holdfast/bus";
import {
  type Handlers,
  HoldfastError,
  NO_COVERAGE,
  type RecordingHeader,
  recordingHeader,
  type recordingOperations,
  wire,
} from "@holdfast/protocol";
import type { ProjectState } from "./core/state.js";
import type { Parts } from "./parts.js";

/** Who records a project is settled here, in its list of recordings; the worker that serves it does the work. */
export function recordingHandlers(parts: Parts): Handlers<typeof recordingOperations, unknown> {
  const { store, recordings } = parts;
  return {
    recording_start: async ({ workspaceId, recordingId, name }) => {
      const state = await store.get(workspaceId);
      if (!state.open) throw new HoldfastError("MCP_PROJECT_NOT_FOUND", "", { workspaceId });
      await parts.workers.ensure(state);
      const { header, isNew } = await begun(parts, state, { recordingId: recordingId ?? mintId(), name });
      if (header.state === "recording") await beginIn(parts, header, isNew);
      parts.effects.tell(workspaceId, {
        fact: "recording.moved",
        recordingId: header.recordingId,
        state: header.state,
      });
      return find(parts, workspaceId, header.recordingId);
    },
    recording_status: async ({ workspaceId, recordingId }) => {
      const header = await find(parts, workspaceId, recordingId);
      return header.state === "recording" ? ((await orderOf(parts, header, "tell")) ?? header) : header;
    },
    recording_stop: async ({ workspaceId, recordingId }) => {
      const header = await find(parts, workspaceId, recordingId);
      if (header.state === "stopped") return header;
      const ended = (await orderOf(parts, header, "end")) ?? header;
      const stopped = ended.state === "stopped" ? ended : await stoppedWithoutWorker(parts, header);
      parts.effects.tell(workspaceId, { fact: "recording.moved", recordingId: stopped.recordingId, state: "stopped" });
      return stopped;
    },
    recording_get: async ({ workspaceId, recordingId, from, limit }) => {
      const header = await find(parts, workspaceId, recordingId);
      const recording = header.state === "recording" ? ((await orderOf(parts, header, "tell")) ?? header) : header;
      const { steps } = await recordings.read(workspaceId, recording.recordingId);
      const read = steps.slice(from, from + limit);
      const next = from + read.length < steps.length ? from + read.length : null;
      return { recording: { ...recording, steps: steps.length }, from, steps: read, next };
    },
    recording_list: async ({ workspaceId }) => {
      await store.get(workspaceId);
      return { workspaceId, recordings: [...(await recordings.list(workspaceId))] };
    },
  };
}

/** The recording that was named, else the one that goes on, else the last one. @throws HoldfastError */
export async function find(
  { store, recordings }: Pick<Parts, "store" | "recordings">,
  workspaceId: string,
  recordingId?: string,
): Promise<RecordingHeader> {
  await store.get(workspaceId);
  const list = await recordings.list(workspaceId);
  const current = list.find(({ state }) => state === "recording") ?? list[0];
  const found = recordingId === undefined ? current : list.find((one) => one.recordingId === recordingId);
  if (found) return found;
  throw new HoldfastError("MCP_RECORDING_NOT_FOUND", "", { workspaceId, recordingId: recordingId ?? null });
}

/** @throws HoldfastError `MCP_RECORDING_RUNNING` */
async function begun(
  parts: Parts,
  state: ProjectState,
  { recordingId, name }: { recordingId: string; name: string },
): Promise<{ header: RecordingHeader; isNew: boolean }> {
  const { workspaceId } = state;
  const table = await parts.tabs.get(workspaceId);
  const open = (table?.value.tabs ?? []).filter((tab) => tab.state !== "closed");
  const now = new Date().toISOString();
  const header: RecordingHeader = {
    recordingId,
    workspaceId,
    name,
    state: "recording",
    since: now,
    stoppedAt: null,
    begunAt: open.map(({ tabId, url, openerTabId }) => ({ tabId, url, openerTabId })),
    cursorTabId: state.cursor?.tabId ?? null,
    steps: 0,
    seenAt: now,
    pausedAt: null,
    completeness: NO_COVERAGE,
  };
  const list = await parts.recordings.change(workspaceId, (before) => {
    if (before.some((one) => one.recordingId === recordingId)) return null;
    const running = before.find((one) => one.state === "recording");
    if (running) throw new HoldfastError("MCP_RECORDING_RUNNING", "", { recordingId: running.recordingId });
    return [header, ...before];
  });
  const found = list.find((one) => one.recordingId === recordingId) ?? header;
  return { header: found, isNew: found === header };
}

/** What the worker could not begin there is no recording of. */
async function beginIn(parts: Parts, header: RecordingHeader, isNew: boolean): Promise<void> {
  try {
    await orderOf(parts, header, "begin");
  } catch (thrown) {
    const { workspaceId, recordingId } = header;
    if (isNew)
      await parts.recordings.change(workspaceId, (list) => list.filter((one) => one.recordingId !== recordingId));
    throw thrown;
  }
}

/** What the worker makes of it; null when none serves the project. */
async function orderOf(
  parts: Parts,
  { workspaceId, recordingId }: RecordingHeader,
  order: "begin" | "tell" | "end",
): Promise<RecordingHeader | null> {
  const holder = parts.workers.holder(workspaceId);
  if (!holder) return null;
  const subject = wire.worker(holder.workerId, "recording");
  const reply = await request(parts.bus, subject, { workspaceId, recordingId, order }).catch((thrown: unknown) => {
    // A beginning must be seen; what is only told, or ended, stands in the store as it was last seen.
    if (order === "begin") throw thrown;
    parts.log.warn({ workspaceId, recordingId, err: thrown }, "a worker did not answer about its recording");
  });
  const told = recordingHeader.safeParse(reply);
  if (told.success) return told.data;
  if (order === "begin")
    throw new HoldfastError("MCP_NO_WORKER", "The worker did not begin to record.", { workspaceId });
  return null;
}

async function stoppedWithoutWorker(parts: Parts, header: RecordingHeader): Promise<RecordingHeader> {
  const now = new Date().toISOString();
  const list = await parts.recordings.change(header.workspaceId, (before) =>
    before.map((one) => {
      if (one.recordingId !== header.recordingId || one.state === "stopped") return one;
      const why = one.pausedAt === null ? ("worker_lost" as const) : ("project_closed" as const);
      const gap = {
        from: one.pausedAt ?? one.seenAt,
        to: now,
        tabId: null,
        why,
        note: "No worker served the project.",
      };
      const completeness = { ...one.completeness, complete: false, gaps: [...one.completeness.gaps, gap] };
      return { ...one, state: "stopped" as const, stoppedAt: now, completeness };
    }),
  );
  return list.find((one) => one.recordingId === header.recordingId) ?? header;
}

function mintId(): string {
  return `rec_${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
}
