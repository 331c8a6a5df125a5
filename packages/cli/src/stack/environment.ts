import { createHash, randomBytes } from "node:crypto";
import { natsUrlFor } from "./nats-config.js";
import type { ServiceName, StackOptions } from "./options.js";
import type { Secrets } from "./secrets.js";

/** What the services of one stack are told, beside what each is told of itself. */
export interface Surroundings {
  readonly options: StackOptions;
  readonly secrets: Secrets;
  readonly bus: Bus;
  /** A path or `cdp:URL`; null when no worker runs. */
  readonly browser: string | null;
}

/** Where the messages travel. */
export type Bus =
  | { readonly embedded: true; readonly port: number; readonly url: string }
  | { readonly embedded: false; readonly url: string };

export interface Self {
  readonly service: ServiceName;
  /** 1 for the first of its kind. */
  readonly ordinal: number;
  /** Where a gateway listens; 0 for a free port. */
  readonly port: number;
}

/** Told to some services and to no others: never passed on from our own environment. */
const CONTRACT = [
  "HOLDFAST_NATS_URL",
  "HOLDFAST_STOP_NATS_URL",
  "HOLDFAST_STOP_PRIVATE_KEY",
  "HOLDFAST_STOP_PUBLIC_KEY",
  "HOLDFAST_CHROMIUM",
  "HOLDFAST_HEADED",
  "HOLDFAST_WORKER_ID",
  "HOLDFAST_PORT",
  "HOLDFAST_TOKEN",
  "HOLDFAST_STATE_KEY",
  "HOLDFAST_SEAL_KEY",
] as const;
/** A worker that is started again is another worker: with its old name it would take itself for the lease's holder. */
const WORKER_SUFFIX_BYTES = 3;

type Env = Record<string, string | undefined>;

/**
 * The environment of one service. Only task-control can sign a stop; the others can only check one.
 * @param inherited ours; with a server that is not embedded, its stop address and keys are taken from here when given
 */
export function environmentOf(self: Self, around: Surroundings, inherited: Env = process.env): Env {
  const env: Env = { ...inherited, ...around.options.env };
  for (const name of CONTRACT) delete env[name];
  env.HOLDFAST_LOG_LEVEL ??= "info";
  env.HOLDFAST_NATS_URL = around.bus.url;
  Object.assign(env, stopLane(self.service, around, inherited));
  if (self.service === "browser-worker") {
    env.HOLDFAST_WORKER_ID = `w${self.ordinal}-${randomBytes(WORKER_SUFFIX_BYTES).toString("hex")}`;
    if (around.browser !== null) env.HOLDFAST_CHROMIUM = around.browser;
    if (around.options.headed) env.HOLDFAST_HEADED = "1";
    const stateKey = around.options.env?.HOLDFAST_STATE_KEY ?? inherited.HOLDFAST_STATE_KEY;
    if (stateKey) env.HOLDFAST_STATE_KEY = stateKey;
    if (around.options.urlRules) env.HOLDFAST_URL_RULES = JSON.stringify(around.options.urlRules);
  }
  if (self.service !== "mcp-gateway") {
    // Those who queue calls and those who run them. With a server of one's own, others may run them: they must have the same.
    const given = around.bus.embedded ? sealKeyOf(around.secrets) : inherited.HOLDFAST_SEAL_KEY;
    if (given) env.HOLDFAST_SEAL_KEY = given;
  }
  if (self.service === "mcp-gateway") {
    env.HOLDFAST_PORT = String(self.port);
    if (!around.options.noAuth) env.HOLDFAST_TOKEN = around.secrets.token;
  }
  return env;
}

/** What hides typed secrets in the queue: of the secrets that a stack has anyway, one that gateways are not given. */
export function sealKeyOf(secrets: Secrets): string {
  return createHash("sha256").update(`seal ${secrets.stopPrivateKey}`).digest("hex");
}

function stopLane(service: ServiceName, { bus, secrets }: Surroundings, inherited: Env): Env {
  const signs = service === "task-control";
  const user = signs ? "task-control" : "worker";
  const url = bus.embedded ? natsUrlFor(user, bus.port, secrets) : (inherited.HOLDFAST_STOP_NATS_URL ?? bus.url);
  const given = bus.embedded ? {} : inherited;
  const key = signs
    ? { HOLDFAST_STOP_PRIVATE_KEY: given.HOLDFAST_STOP_PRIVATE_KEY ?? secrets.stopPrivateKey }
    : { HOLDFAST_STOP_PUBLIC_KEY: given.HOLDFAST_STOP_PUBLIC_KEY ?? secrets.stopPublicKey };
  return { HOLDFAST_STOP_NATS_URL: url, ...key };
}
