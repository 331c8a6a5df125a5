import type { Incoming } from "@holdfast/bus";
import { type MayBegin, type Report, type RestoreReport, report, restoredItem } from "@holdfast/protocol";
import { z } from "zod";
import { mayBegin } from "./core/begin.js";
import type { Parts } from "./parts.js";
import type { Untimed } from "./store.js";

/** Takes what workers saw. The worker waits for the answer: then it is stored, and may be told to the asker. */
export function reports(parts: Parts): (body: unknown, incoming: Incoming) => Promise<{ ok: true; begin?: MayBegin }> {
  return async (body, { last: workspaceId }) => {
    const seen = report.parse(body);
    if (seen.report === "begin")
      return { ok: true, begin: mayBegin(await parts.store.get(workspaceId), seen.operationId) };
    if (seen.report === "restored") {
      const { report: _, items, ...rest } = seen;
      await restored(parts, { workspaceId, ...rest, items: z.array(restoredItem).parse(items) });
    } else {
      const decision = await parts.store.apply(workspaceId, inputOf(seen));
      if (seen.report === "ended" && seen.told) parts.history.ended(workspaceId, seen.told);
      parts.effects.publish(workspaceId, decision);
      if (decision.reply.reply === "execution") parts.ends.seen(decision.reply.execution);
    }
    return { ok: true };
  };
}

function inputOf(seen: Exclude<Report, { report: "restored" | "begin" }>): Untimed {
  if (seen.report !== "ended") {
    const { report: input, ...rest } = seen;
    return { input, ...rest } as Untimed;
  }
  const { report: input, told: _, ...end } = seen;
  return { input, ...end };
}

async function restored(parts: Parts, told: RestoreReport): Promise<void> {
  const { workspaceId } = told;
  await parts.restores.add(told);
  parts.effects.tell(workspaceId, { fact: "project.restored", report: told });
}
