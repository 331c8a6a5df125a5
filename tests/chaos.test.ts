import { expect, test } from "vitest";
import { doubled, falseReports, type Outcome, unaccounted, unended, untrue } from "./chaos/checks.js";
import { WORKERS } from "./chaos/plan.js";
import { type ChaosRun, runChaos } from "./chaos/run.js";
import { epochsGoneBack } from "./chaos/witness.js";
import { verifies } from "./promises.js";

/** Short in CI; a long run, and one that is run again, are asked for by the environment. */
const SECONDS = Number(process.env.HOLDFAST_CHAOS_SECONDS ?? 45);
const SEED = Number(process.env.HOLDFAST_CHAOS_SEED ?? Math.floor(Math.random() * 1_000_000));
/** ms to start, to come to rest and to end. */
const AROUND_MS = 300_000;

test(verifies("chaos.holds"), { timeout: SECONDS * 1_000 + AROUND_MS }, async () => {
  console.info(`chaos: HOLDFAST_CHAOS_SEED=${SEED} HOLDFAST_CHAOS_SECONDS=${SECONDS}`);
  const run = await runChaos(SEED, SECONDS * 1_000);
  const told = run.clickers.flatMap((clicker) => clicker.told);
  const outcome: Outcome = { pages: run.pages, told, ledger: run.ledger };
  console.info(figuresOf(run, outcome));
  expect.soft(doubled(outcome), "effects that were counted twice").toEqual([]);
  expect.soft(unaccounted(outcome), "effects that the ledger does not know").toEqual([]);
  expect.soft(untrue(outcome), "answers that are not so").toEqual([]);
  expect.soft(epochsGoneBack(run.witness.seen), "projects served by two at once").toEqual([]);
  expect
    .soft(
      run.clickers.flatMap(({ wrongTab }) => wrongTab),
      "answers from another tab",
    )
    .toEqual([]);
  expect.soft(unended(run.statuses, run.ledger), "operations that never end").toEqual([]);
  expect.soft(falseReports(run.reports, run.statuses), "restore reports that are not so").toEqual([]);
  expect.soft(run.browsers, "browsers").toBeLessThanOrEqual(WORKERS.length);
  expect(told.filter(({ code }) => code === null).length, "work that was done").toBeGreaterThan(0);
  // It throws for each process that is left.
  await run.end();
});

function figuresOf(run: ChaosRun, { told, pages, ledger }: Outcome): string {
  const clicks = told.filter(({ operationId }) => !operationId.endsWith("-go"));
  const codes = tally(told.map(({ code }) => code ?? "done"));
  const outcomes = tally([...ledger.values()].map(({ entry }) => entry.outcome));
  const counted = clicks.filter(({ operationId }) => pages.hits(operationId) > 0).length;
  const waits = run.clickers.flatMap((clicker) => clicker.waits).sort((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0);
  const epochs = new Set(run.witness.seen.map(({ workspaceId, entry }) => `${workspaceId} ${entry.epoch}`)).size;
  return [
    `faults: ${JSON.stringify(Object.fromEntries(run.faults.done))}`,
    `operations: ${told.length}, clicks: ${clicks.length}, counted: ${counted}, told: ${JSON.stringify(codes)}`,
    `ledger: ${JSON.stringify(outcomes)}, projects and epochs: ${epochs}, browsers at the end: ${run.browsers}`,
    `an effect took: median ${at(0.5)} ms, nine in ten ${at(0.9)} ms, longest ${at(1)} ms`,
  ].join("\n");
}

function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
