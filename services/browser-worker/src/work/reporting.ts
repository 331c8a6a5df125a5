import { pause, request } from "@holdfast/bus";
import {
  type Admitted,
  type Failure,
  type HistoryEntry,
  HoldfastError,
  type OperationOutcome,
  type Report,
  wire,
} from "@holdfast/protocol";
import { REPORT_RETRY_MS } from "../limits.js";
import type { Cursor, Project } from "../project.js";
import type { MutationParts } from "./mutation.js";

/** How an operation ended, as task-control is told. */
export interface End {
  readonly outcome: OperationOutcome;
  readonly tabId: string | null;
  readonly cursor?: Cursor | null | undefined;
  /** As the record keeps it; absent where it was told before. */
  readonly told?: HistoryEntry;
}

/** The end is told until it is heard, for as long as the project is ours: else its queue would wait for it for ever. */
export async function tellEnd(parts: MutationParts, project: Project, work: Admitted, end: End): Promise<void> {
  await untilDone(parts, project, work, () => report(parts, work.workspaceId, endOf(work, end)));
}

/** Tries again for as long as the project is ours. Undefined when it is not any more. */
export async function untilDone<T>(
  { serves, log }: Pick<MutationParts, "serves" | "log">,
  project: Project,
  { operationId }: Admitted,
  attempt: () => Promise<T>,
): Promise<T | undefined> {
  while (serves(project)) {
    try {
      return await attempt();
    } catch (thrown) {
      log.warn({ operationId, err: thrown }, "something about an operation was not stored; it is tried again");
    }
    await pause(REPORT_RETRY_MS, project.leaving.signal);
  }
  return undefined;
}

export interface Reply {
  readonly ok?: unknown;
  readonly begin?: unknown;
  readonly failure?: Failure;
}

/** @throws HoldfastError when it was not heard, or not taken */
export async function report(parts: Pick<MutationParts, "bus">, workspaceId: string, body: Report): Promise<Reply> {
  const reply = (await request(parts.bus, wire.report(workspaceId), body)) as Reply;
  if (reply.ok === true) return reply;
  throw new HoldfastError("MCP_INTERNAL", `task-control did not take a report: ${reply.failure?.message}`);
}

function endOf({ operationId, operation, taskId }: Admitted, end: End): Report {
  return { report: "ended", operationId, operation, taskId, ...end };
}
