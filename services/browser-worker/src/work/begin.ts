import { pause, QUEUE_WAIT_MS } from "@holdfast/bus";
import { type Admitted, type MayBegin, mayBegin } from "@holdfast/protocol";
import { type Handling, handlingOf } from "../core/lanes.js";
import { ASK_TO_BEGIN_MS, VERDICT_LOOK_MS } from "../limits.js";
import type { Project } from "../project.js";
import type { MutationParts } from "./mutation.js";
import { report, untilDone } from "./reporting.js";

/**
 * Whether a mutation that is handed out may be begun. One that waited, or that another worker had before, is asked for
 * first: a stop may not have reached this worker, its project may wait for a verdict, and a queue may hold what the state has not.
 * Null when the project is not ours any more.
 */
export async function handlingAtBegin(
  parts: MutationParts,
  project: Project,
  work: Admitted,
): Promise<Handling | null> {
  while (parts.serves(project) && !project.leaving.signal.aborted) {
    const handling = handlingOf(work, null, project, Date.now());
    if (handling !== "run" || isFresh(project, work)) return handling;
    const said = await untilDone(parts, project, work, () => ask(parts, work));
    if (said === "go") return "run";
    if (said === "drop") return "discard";
    await pause(VERDICT_LOOK_MS, project.leaving.signal);
  }
  return null;
}

async function ask(parts: MutationParts, { workspaceId, operationId }: Admitted): Promise<MayBegin> {
  const reply = await report(parts, workspaceId, { report: "begin", operationId });
  return mayBegin.parse(reply.begin);
}

/** It comes straight from its admission. Clocks of two machines may differ, and then it is asked for once too often. */
function isFresh({ askBefore }: Project, { expiresAt }: Admitted): boolean {
  const admittedAt = expiresAt - QUEUE_WAIT_MS;
  return admittedAt > askBefore + ASK_TO_BEGIN_MS && Math.abs(Date.now() - admittedAt) < ASK_TO_BEGIN_MS;
}
