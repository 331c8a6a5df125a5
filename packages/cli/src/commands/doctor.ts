import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import pc from "picocolors";
import { EXIT } from "../exit-codes.js";
import { inNodeModules } from "../modules.js";
import { describeLocated, locate, missing, type Program } from "../setup.js";
import { readEndpoint } from "../stack/endpoint.js";
import { ownerOf } from "../stack/lock.js";
import { answers } from "../stack/nats-server.js";
import type { ServiceName } from "../stack/options.js";
import { stateDirOf } from "../target.js";
import type { Ended } from "./ended.js";
import { stateKey } from "./state-key.js";

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly told: string;
}

/** A gateway that does not tell its health within this, in ms, is not well. */
const HEALTH_DEADLINE_MS = 2_000;
const SERVICES: readonly ServiceName[] = ["task-control", "browser-worker", "mcp-gateway"];

/** Adds `doctor`: what was found and why, and how the stack does if one runs. Exit 1 when something is missing. */
export function addDoctor(program: Command, ended: Ended): void {
  program
    .command("doctor")
    .description("Tells which NATS server and browser are taken and why, and how the stack does if one runs.")
    .option("--state <dir>", "the stack's state folder (default HOLDFAST_STATE, else .holdfast)")
    .option("--json", "print the checks as JSON")
    .action(async (options: { state?: string; json?: boolean }) => {
      const checks = await examine(resolve(stateDirOf(options.state)));
      if (options.json) console.log(JSON.stringify({ ok: checks.every((check) => check.ok), checks }));
      else for (const check of checks) console.log(line(check));
      ended(checks.every((check) => check.ok) ? EXIT.done : EXIT.failed);
    });
}

async function examine(stateDir: string): Promise<Check[]> {
  return [
    { name: "node", ok: true, told: `${process.version}: ${process.execPath}` },
    program("nats-server"),
    program("chromium"),
    ...SERVICES.map(built),
    ...(await stack(stateDir)),
  ];
}

function program(name: Program): Check {
  const found = locate(name);
  return { name, ok: found !== null, told: found === null ? missing(name) : describeLocated(name, found) };
}

function built(service: ServiceName): Check {
  const path = inNodeModules(`@holdfast/${service}/dist/main.js`);
  return { name: service, ok: path !== null, told: path ?? "not built: run npm run build" };
}

async function stack(stateDir: string): Promise<Check[]> {
  const owner = ownerOf(stateDir);
  const endpoint = readEndpoint(stateDir);
  if (owner === null) {
    const left = existsSync(stateDir) ? "what it kept is there" : "there is nothing yet";
    const died = endpoint === null ? "" : "; the last one died and will be cleaned up at the next start";
    return [await stateKey(null), { name: "stack", ok: true, told: `none runs with ${stateDir}; ${left}${died}` }];
  }
  const told = `runs with ${stateDir} (process ${owner.pid})`;
  if (endpoint === null) return [{ name: "stack", ok: true, told: `${told}, and is starting or closing` }];
  const { natsUrl, healthUrl } = endpoint;
  return [{ name: "stack", ok: true, told }, await bus(natsUrl), await gateway(healthUrl), await stateKey(natsUrl)];
}

async function bus(natsUrl: string): Promise<Check> {
  const { hostname, port } = new URL(natsUrl.split(",")[0] ?? natsUrl);
  const ok = await answers(Number(port || "4222"), hostname);
  return { name: "bus", ok, told: `${hostname}:${port} ${ok ? "answers" : "does not answer"}` };
}

async function gateway(healthUrl: string): Promise<Check> {
  if (healthUrl === "") return { name: "gateway", ok: true, told: "this stack has none" };
  try {
    const response = await fetch(healthUrl, { signal: AbortSignal.timeout(HEALTH_DEADLINE_MS) });
    return { name: "gateway", ok: response.ok, told: `${healthUrl} answers ${response.status}` };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { name: "gateway", ok: false, told: `${healthUrl} does not answer (${why})` };
  }
}

function line({ name, ok, told }: Check): string {
  return `${ok ? pc.green("ok  ") : pc.red("fail")} ${name.padEnd(14)} ${told}`;
}
