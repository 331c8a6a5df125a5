import type { SleepLimits } from "../core/sleeping.js";
import * as limits from "../limits.js";

const MEGABYTE = 1_048_576;

/** The limits on pages, each with the variable that sets another one. @throws Error for what is no number above 0 */
export function sleepLimits(env: Readonly<Record<string, string | undefined>>): SleepLimits {
  // In windows that are shown a person may be at work, of which nobody is told: none is closed for being idle.
  const idleMs = env.HOLDFAST_HEADED === "1" ? Number.POSITIVE_INFINITY : limits.TAB_IDLE_MS;
  const given = (name: string, otherwise: number): number => {
    const text = env[name];
    if (text === undefined || text === "") return otherwise;
    const value = Number(text);
    if (Number.isFinite(value) && value > 0) return value;
    throw new Error(`${name} must be a number above 0, and is ${text}.`);
  };
  return {
    perProject: given("HOLDFAST_AWAKE_PER_PROJECT", limits.AWAKE_PER_PROJECT_MAX),
    perWorker: given("HOLDFAST_AWAKE_PER_WORKER", limits.AWAKE_PER_WORKER_MAX),
    idleMs: given("HOLDFAST_TAB_IDLE_MS", idleMs),
    restMs: limits.TAB_REST_MS,
    contextIdleMs: given("HOLDFAST_CONTEXT_IDLE_MS", limits.CONTEXT_IDLE_MS),
    memoryBytes: given("HOLDFAST_BROWSER_MEMORY_MB", limits.BROWSER_MEMORY_MAX / MEGABYTE) * MEGABYTE,
    memoryStep: limits.MEMORY_STEP,
  };
}
