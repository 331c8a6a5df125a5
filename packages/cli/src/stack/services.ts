import { inNodeModules } from "../modules.js";
import { environmentOf, type Surroundings } from "./environment.js";
import { beginLog } from "./logs.js";
import { type ServiceName, StackError, type StackOptions } from "./options.js";
import type { Plan } from "./supervise.js";

/** A service that does not serve within this, in ms, has not started. */
const READY_DEADLINE_MS = 30_000;

/**
 * The file that runs a service.
 * @throws StackError when it has not been built
 */
export function entryOf(service: ServiceName): string {
  const path = inNodeModules(`@holdfast/${service}/dist/main.js`);
  if (path === null) throw new StackError(`${service} has not been built: run npm run build.`);
  return path;
}

/** How many of each service, task-control first. */
export function countsOf(options: StackOptions): readonly (readonly [ServiceName, number])[] {
  return [
    ["task-control", options.taskControls ?? 1],
    ["browser-worker", options.workers ?? 1],
    ["mcp-gateway", options.gateways ?? 1],
  ];
}

/**
 * Every service of the stack, task-control first.
 * @throws StackError when one has not been built
 */
export function servicePlans(around: Surroundings): Plan[] {
  return countsOf(around.options).flatMap(([service, count]) => several(service, count, around));
}

/** @throws StackError when a service that is wanted has not been built */
export function checkBuilt(options: StackOptions): void {
  for (const [service, count] of countsOf(options)) if (count > 0) entryFor(service, options);
}

function entryFor(service: ServiceName, options: StackOptions): string {
  return options.entries?.[service] ?? entryOf(service);
}

function several(service: ServiceName, count: number, around: Surroundings): Plan[] {
  return Array.from({ length: count }, (_, index) => planOf(service, index + 1, around));
}

function planOf(service: ServiceName, ordinal: number, around: Surroundings): Plan {
  const name = ordinal === 1 ? service : `${service}-${ordinal}`;
  const log = beginLog(around.options.stateDir, name);
  const entry = entryFor(service, around.options);
  const firstPort = ordinal === 1 ? (around.options.port ?? 0) : 0;
  return {
    service,
    name,
    program: (port) => {
      const env = environmentOf({ service, ordinal, port: port ?? firstPort }, around);
      const workerId = env.HOLDFAST_WORKER_ID;
      const run = {
        name,
        command: process.execPath,
        args: [entry],
        env,
        log,
        ipc: true,
        readyDeadlineMs: READY_DEADLINE_MS,
      };
      return workerId === undefined ? run : { ...run, workerId };
    },
  };
}
