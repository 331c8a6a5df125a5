import type { PageServer } from "@holdfast/testkit";
import type { Report } from "../support/kept.js";
import type { Status } from "../support/work.js";
import type { Told } from "./client.js";
import type { Seen } from "./witness.js";

/** All that is known at the end of a run. */
export interface Outcome {
  readonly pages: PageServer;
  readonly told: readonly Told[];
  readonly ledger: ReadonlyMap<string, Seen>;
}

/** Clicks are those whose effect is counted; their ids are the counters'. */
const isClick = ({ operationId }: Told): boolean => !operationId.endsWith("-go");

/** Effects that the server counted more than once. */
export function doubled({ told, pages }: Outcome): string[] {
  return told
    .filter(isClick)
    .filter(({ operationId }) => pages.hits(operationId) > 1)
    .map(({ operationId }) => `${operationId}: ${pages.hits(operationId)}`);
}

/** Effects that the server counted, and the ledger calls neither done nor unknown. */
export function unaccounted({ told, pages, ledger }: Outcome): string[] {
  return told
    .filter((each) => isClick(each) && pages.hits(each.operationId) > 0)
    .filter(({ operationId }) => !["done", "unknown"].includes(ledger.get(operationId)?.entry.outcome ?? "missing"))
    .map(
      ({ operationId, code }) =>
        `${operationId}: ${ledger.get(operationId)?.entry.outcome ?? "not in the ledger"}, told ${code ?? "done"}`,
    );
}

/** Clicks that were told to be done, and that the server has not counted; or to be never begun, and it has. */
export function untrue({ told, pages }: Outcome): string[] {
  const unsure: readonly string[] = [
    "MCP_OUTCOME_UNKNOWN",
    "MCP_DEADLINE",
    "MCP_PAGE_FAILED",
    "MCP_PAGE_CRASHED",
    "MCP_STOPPED",
  ];
  return told
    .filter(isClick)
    .filter(({ code }) => code === null || !unsure.includes(code))
    .filter(({ operationId, code }) => pages.hits(operationId) !== (code === null ? 1 : 0))
    .map(({ operationId, code }) => `${operationId}: told ${code ?? "done"}, counted ${pages.hits(operationId)}`);
}

/** Operations that the state or the ledger still has as queued or under way. */
export function unended(statuses: ReadonlyMap<string, Status>, ledger: ReadonlyMap<string, Seen>): string[] {
  const inState = [...statuses].flatMap(([workspaceId, { operations }]) =>
    operations
      .filter(({ outcome }) => outcome === "queued" || outcome === "running")
      .map(({ operationId }) => `${workspaceId}: ${operationId}`),
  );
  const inLedger = [...ledger.values()]
    .filter(({ entry }) => entry.outcome === "running")
    .map(({ entry }) => `ledger: ${entry.operationId}`);
  return [...inState, ...inLedger];
}

/** Restore reports that say more than is so: a tab that is not the project's, or an address that is another project's. */
export function falseReports(reports: readonly Report[], statuses: ReadonlyMap<string, Status>): string[] {
  return reports.flatMap(({ workspaceId, items }) => {
    const tabs = new Set(statuses.get(workspaceId)?.tabs.map(({ tabId }) => tabId));
    return items
      .filter(({ what }) => what === "tab")
      .filter(({ id, state, reason }) => !tabs.has(id) || (state === "verified" && !ofProject(reason, workspaceId)))
      .map(({ id, state, reason }) => `${workspaceId}: ${id} ${state}: ${reason}`);
  });
}

function ofProject(reason: string, workspaceId: string): boolean {
  const id = /[?&]id=([\w-]+)/.exec(reason)?.[1];
  return id === undefined || id.startsWith(workspaceId);
}
