import { type Bus, openBucket } from "@holdfast/bus";
import { type RestoreReport, restoreReport } from "@holdfast/protocol";
import { RESTORE_REPORTS_MAX } from "./limits.js";

/** What the last start brought back, per project. */
export interface Restores {
  readonly add: (report: RestoreReport) => Promise<void>;
  readonly get: (workspaceId: string) => Promise<RestoreReport | null>;
  readonly list: () => Promise<RestoreReport[]>;
  /** A new start: the reports of the one before are history. */
  readonly clear: () => Promise<void>;
}

export async function openRestores(bus: Bus): Promise<Restores> {
  const bucket = await openBucket(bus, { name: "HF_RESTORES" }, restoreReport);
  return {
    add: async (report) => {
      const before = await bucket.get(report.workspaceId);
      if (before) await bucket.update(report.workspaceId, report, before.revision);
      else await bucket.create(report.workspaceId, report);
    },
    get: async (workspaceId) => (await bucket.get(workspaceId))?.value ?? null,
    list: async () => {
      const keys = (await bucket.keys()).slice(0, RESTORE_REPORTS_MAX);
      const entries = await Promise.all(keys.map((key) => bucket.get(key)));
      return entries.flatMap((entry) => (entry ? [entry.value] : []));
    },
    clear: async () => {
      for (const key of await bucket.keys()) await bucket.remove(key);
    },
  };
}
