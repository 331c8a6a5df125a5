import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { EXIT } from "../exit-codes.js";
import { sealKeyOf } from "../stack/environment.js";
import { natsConfig, natsUrlFor } from "../stack/nats-config.js";
import { type Secrets, secretsIn } from "../stack/secrets.js";
import type { Ended } from "./ended.js";

/** The server's own port; inside a network of containers there is no other to be in its way. */
const NATS_PORT = 4222;
/** compose.yaml takes the current server. */
const NATS_VERSION = "2.15.0";

/** Adds `keys`: what a stack of containers is started with. Run again it changes nothing: the secrets are kept. */
export function addKeys(program: Command, ended: Ended): void {
  program
    .command("keys")
    .description("Makes the secrets and the server's configuration that a stack of containers shares.")
    .requiredOption("--out <dir>", "the folder to write to")
    .option("--nats-host <name>", "the name of the NATS server in their network", "nats")
    .option("--store <dir>", "where that server keeps its data", "/data")
    .action(({ out, natsHost, store }: { out: string; natsHost: string; store: string }) => {
      const dir = resolve(out);
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      const secrets = secretsIn(dir);
      for (const [name, text] of Object.entries(filesFor(secrets, natsHost, store))) {
        writeFileSync(join(dir, name), text, { mode: 0o600 });
      }
      console.log(`An agent connects with the bearer token ${secrets.token}`);
      ended(EXIT.done);
    });
}

/** The server's configuration, and what each service finds in its environment: no more than it needs. */
export function filesFor(secrets: Secrets, natsHost: string, store: string): Record<string, string> {
  const url = (user: Parameters<typeof natsUrlFor>[0]): string => natsUrlFor(user, NATS_PORT, secrets, natsHost);
  const work = { HOLDFAST_NATS_URL: url("work") };
  const hears = { HOLDFAST_STOP_NATS_URL: url("worker"), HOLDFAST_STOP_PUBLIC_KEY: secrets.stopPublicKey };
  const server = { host: "0.0.0.0", port: NATS_PORT, storeDir: store, pidFile: "/tmp/nats.pid", version: NATS_VERSION };
  return {
    "nats.conf": natsConfig({ ...server, secrets }),
    "task-control.env": environment({
      ...work,
      HOLDFAST_STOP_NATS_URL: url("task-control"),
      HOLDFAST_STOP_PRIVATE_KEY: secrets.stopPrivateKey,
      HOLDFAST_SEAL_KEY: sealKeyOf(secrets),
    }),
    "browser-worker.env": environment({ ...work, ...hears, HOLDFAST_SEAL_KEY: sealKeyOf(secrets) }),
    "mcp-gateway.env": environment({ ...work, ...hears, HOLDFAST_TOKEN: secrets.token }),
  };
}

function environment(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join("");
}
