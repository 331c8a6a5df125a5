import type { Handlers, systemOperations } from "@holdfast/protocol";
import { isBusy, type ProjectState } from "./core/state.js";
import type { Parts } from "./parts.js";
import { quit } from "./quit.js";

export function systemHandlers(parts: Parts): Handlers<typeof systemOperations, unknown> {
  return {
    system_status: async () => {
      const states = await Promise.all((await parts.store.list()).map((workspaceId) => parts.store.find(workspaceId)));
      const open = states.filter((state): state is ProjectState => state?.open === true);
      const closing = open.some((state) => state.quit?.phase === "closing");
      return {
        state: closing ? "draining" : "running",
        projects: open.map((state) => ({
          workspaceId: state.workspaceId,
          busy: isBusy(state),
          worker: parts.workers.holder(state.workspaceId)?.workerId ?? null,
        })),
        workers: [...parts.workers.list()],
        restore: await parts.restores.list(),
      };
    },
    system_quit: () => quit(parts),
  };
}
