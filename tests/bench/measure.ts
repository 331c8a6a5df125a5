import type { connectClient } from "@holdfast/testkit";
import { CASES, type Case } from "./cases.js";
import type { RawSide } from "./raw-side.js";

type Client = Awaited<ReturnType<typeof connectClient>>;

export interface Figure {
  readonly name: string;
  readonly rawMs: number;
  readonly holdfastMs: number;
  readonly reached: boolean;
  readonly target: string;
}

/** Both sides in turn, so that what else the machine does falls on both. */
export async function measure(
  one: Case,
  { raw, client, url }: { raw: RawSide; client: Client; url: (path: string) => string },
  rounds: number,
): Promise<Figure> {
  const address = url(one.path);
  await raw.stand(one.name, address);
  await must(client, "browser_navigate", { url: address });
  const ref = one.element ? refIn((await must(client, "browser_snapshot", {})).text, one) : "";
  const rawMs: number[] = [];
  const ours: number[] = [];
  for (let block = -1; block < rounds / BLOCK; block += 1) {
    const a = await raw.time(one.name, BLOCK);
    const b = await repeated(() => must(client, one.tool, one.args(ref, address)), BLOCK);
    if (block < 0) continue;
    rawMs.push(...a);
    ours.push(...b);
  }
  return figure(one, median(rawMs), median(ours));
}

/** Calls before anything is counted: the code of processes that have just started is not compiled yet, on neither side. */
const WARM_CALLS = 300;

export async function warmUp({ raw, client, url }: { raw: RawSide; client: Client; url: string }): Promise<void> {
  const [evaluate] = CASES;
  await must(client, "browser_navigate", { url });
  for (let call = 0; call < WARM_CALLS; call += 1) {
    await must(client, "browser_evaluate", { function: "1+1" });
    await must(client, "browser_snapshot", {});
  }
  if (!evaluate) return;
  await raw.stand(evaluate.name, url);
  await raw.time(evaluate.name, WARM_CALLS);
}

/**
 * Calls of one side before it is the other's turn: what else the machine does falls on both, and neither side is measured
 * while it wakes from having been idle. The first block of each is not counted.
 */
const BLOCK = 10;

export async function repeated(run: () => Promise<unknown>, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < count; turn += 1) times.push(await timed(run));
  return times;
}

function figure(one: Case, rawMs: number, holdfastMs: number): Figure {
  const { name, target } = one;
  if ("plusMs" in target)
    return { name, rawMs, holdfastMs, reached: holdfastMs <= rawMs + target.plusMs, target: `raw + ${target.plusMs}` };
  return { name, rawMs, holdfastMs, reached: holdfastMs <= rawMs * target.factor, target: `raw x ${target.factor}` };
}

export function refIn(tree: string, one: Case): string {
  if (!one.element) return "";
  const found = one.element.exec(tree)?.[1];
  if (found) return found;
  throw new Error(`${one.name}: no element ${one.element} in\n${tree}`);
}

export async function must(client: Client, tool: string, args: Record<string, unknown>): ReturnType<Client["call"]> {
  const answer = await client.call(tool, args);
  if (answer.ok) return answer;
  throw new Error(`${tool}: ${answer.text}`);
}

export async function timed(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await run();
  return performance.now() - begun;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}
