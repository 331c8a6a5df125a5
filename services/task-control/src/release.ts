import { request } from "@holdfast/bus";
import { type SavedProject, savedProject, wire } from "@holdfast/protocol";
import { SAVE_MS } from "./limits.js";
import type { Parts } from "./parts.js";

/** Has a project's worker save it, close its pages and give the lease back; what went wrong with that is told, not thrown. */
export async function release(parts: Parts, workspaceId: string): Promise<SavedProject> {
  const nothing = { workspaceId, saved: true, profiles: 0, tabs: 0, drafts: 0 };
  const holder = parts.workers.holder(workspaceId);
  if (!holder) return { ...nothing, reason: "It was not in use: what was saved last stands." };
  try {
    const reply = await request(
      parts.bus,
      wire.worker(holder.workerId, "release"),
      { workspaceId },
      { timeoutMs: SAVE_MS },
    );
    parts.workers.forget(workspaceId);
    const told = savedProject.safeParse(reply);
    if (told.success) return told.data;
    const { failure } = reply as { failure?: { message?: string } };
    return { ...nothing, saved: false, reason: failure?.message ?? "Its worker answered in another form." };
  } catch (thrown) {
    parts.log.error({ workspaceId, err: thrown }, "a project was not saved");
    return { ...nothing, saved: false, reason: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
