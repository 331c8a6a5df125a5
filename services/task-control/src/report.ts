import type { Incoming } from "@holdfast/bus";
import { type RestoredItem, report, restoredItem } from "@holdfast/protocol";
import { z } from "zod";
import type { Parts } from "./parts.js";

/** Takes what workers saw. The worker waits for the answer: then it is stored, and may be told to the asker. */
export function reports(parts: Parts): (body: unknown, incoming: Incoming) => Promise<{ ok: true }> {
  return async (body, { last: workspaceId }) => {
    const seen = report.parse(body);
    if (seen.report === "restored")
      await restored(parts, workspaceId, seen.savedAt, z.array(restoredItem).parse(seen.items));
    else {
      const input =
        seen.report === "cursor" ? { input: seen.report, cursor: seen.cursor } : { input: seen.report, ...seen };
      const decision = await parts.store.apply(workspaceId, input);
      parts.effects.publish(workspaceId, decision);
      if (decision.reply.reply === "execution") parts.ends.seen(decision.reply.execution);
    }
    return { ok: true };
  };
}

async function restored(parts: Parts, workspaceId: string, savedAt: string, items: RestoredItem[]): Promise<void> {
  const told = { workspaceId, savedAt, items };
  await parts.restores.add(told);
  parts.effects.tell(workspaceId, { fact: "project.restored", report: told });
}
