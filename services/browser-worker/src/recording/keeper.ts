import { type Bus, openRecordings, type Recordings } from "@holdfast/bus";
import { HoldfastError, type RecordingHeader } from "@holdfast/protocol";
import type { Logger } from "pino";
import { z } from "zod";
import { RECORDING_SIGN_MS } from "../limits.js";
import type { Project } from "../project.js";
import { Recorder } from "./recorder.js";

/** What task-control asks of the worker that serves the project. */
const order = z.object({
  workspaceId: z.string(),
  recordingId: z.string(),
  order: z.enum(["begin", "tell", "end"]),
});

/** The recordings of this worker's projects: begins and ends them, and takes them up again where another worker left off. */
export class RecordingKeeper {
  readonly #store: Recordings;
  readonly #log: Logger;
  readonly #signs = new WeakMap<Recorder, NodeJS.Timeout>();

  static async open(bus: Bus, log: Logger): Promise<RecordingKeeper> {
    return new RecordingKeeper(await openRecordings(bus), log);
  }

  constructor(store: Recordings, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  /** Gives the recording's header as it is then. */
  async order(body: unknown, find: (workspaceId: string) => Project | undefined): Promise<RecordingHeader> {
    const asked = order.parse(body);
    const project = find(asked.workspaceId);
    if (!project) throw new HoldfastError("MCP_NO_WORKER", "The project changes its worker at this moment.");
    if (asked.order === "begin" && !project.recorder) return this.#beginNew(project, await this.#header(asked));
    const recorder = project.recorder;
    if (recorder?.header.recordingId !== asked.recordingId) return this.#header(asked);
    if (asked.order === "end") return this.#end(project, recorder);
    await recorder.journal.flush();
    return this.#keep(recorder, {});
  }

  /** A worker that takes a project takes up its recording: what was not seen since is a gap. */
  async resume(project: Project): Promise<void> {
    // A project is of use without its recording; that the recording has a gap is told when it ends.
    await this.#resume(project).catch((thrown: unknown) =>
      this.#log.error({ workspaceId: project.workspaceId, err: thrown }, "a recording was not taken up"),
    );
  }

  async #resume(project: Project): Promise<void> {
    const list = await this.#store.list(project.workspaceId);
    const header = list.find(({ state }) => state === "recording");
    if (!header) return;
    const recorder = await this.#begin(project, header);
    const why = header.pausedAt === null ? "worker_lost" : "project_closed";
    const note = why === "worker_lost" ? "The worker was lost." : "The project was closed.";
    recorder.gap({ tabId: null, why, note }, latest(header.pausedAt ?? header.seenAt, recorder.lastStepAt));
    await this.#keep(recorder, { pausedAt: null });
  }

  /** The project is given back in good order: its recording goes on wherever it is opened next. */
  async pause(project: Project): Promise<void> {
    const { recorder } = project;
    if (!recorder) return;
    await this.#leave(project, recorder);
    await this.#keep(recorder, { pausedAt: new Date().toISOString() });
  }

  /** The project is another worker's by now: nothing more is written. */
  drop(project: Project): void {
    const { recorder } = project;
    project.recorder = null;
    if (recorder) clearInterval(this.#signs.get(recorder));
  }

  /** The stored table of tabs lags behind; where the tabs are now, only we know. */
  async #beginNew(project: Project, header: RecordingHeader): Promise<RecordingHeader> {
    if (header.state === "stopped") return header;
    const begunAt = project.open.map(({ record: { tabId, url, openerTabId } }) => ({ tabId, url, openerTabId }));
    const cursorTabId = project.cursor?.tabId ?? null;
    const recorder = await this.#begin(project, header);
    return this.#keep(recorder, { begunAt, cursorTabId });
  }

  async #begin(project: Project, header: RecordingHeader): Promise<Recorder> {
    const onFault = (thrown: unknown): void =>
      this.#log.warn({ workspaceId: project.workspaceId, err: thrown }, "something of a recording was not seen to");
    const recorder = new Recorder(project, this.#store, header, onFault);
    recorder.lastStepAt = await recorder.journal.load();
    project.recorder = recorder;
    await recorder.begin().catch(async (thrown: unknown) => {
      // Half a recording is none: nobody would know what it lacks.
      project.recorder = null;
      await recorder.end();
      throw thrown;
    });
    const sign = (): void => void this.#keep(recorder, {}).catch(onFault);
    this.#signs.set(recorder, setInterval(sign, RECORDING_SIGN_MS));
    return recorder;
  }

  async #end(project: Project, recorder: Recorder): Promise<RecordingHeader> {
    await this.#leave(project, recorder);
    return this.#keep(recorder, { state: "stopped", stoppedAt: new Date().toISOString() });
  }

  async #leave(project: Project, recorder: Recorder): Promise<void> {
    clearInterval(this.#signs.get(recorder));
    await recorder.end();
    project.recorder = null;
  }

  async #header({ workspaceId, recordingId }: Pick<RecordingHeader, "workspaceId" | "recordingId">) {
    const header = (await this.#store.list(workspaceId)).find((one) => one.recordingId === recordingId);
    if (header) return header;
    throw new HoldfastError("MCP_RECORDING_NOT_FOUND", "", { recordingId });
  }

  /** Writes down how far the recording is. One that was stopped meanwhile stays stopped. */
  async #keep(recorder: Recorder, changes: Partial<RecordingHeader>): Promise<RecordingHeader> {
    const { workspaceId, recordingId } = recorder.header;
    const seen = { steps: recorder.journal.steps, completeness: recorder.coverage, seenAt: new Date().toISOString() };
    const list = await this.#store.change(workspaceId, (before) => {
      const at = before.findIndex((one) => one.recordingId === recordingId);
      const header = before[at];
      if (!header || header.state === "stopped") return null;
      return before.with(at, { ...header, ...seen, ...changes });
    });
    return list.find((one) => one.recordingId === recordingId) ?? recorder.header;
  }
}

function latest(a: string, b: string | null): string {
  return b !== null && b > a ? b : a;
}
