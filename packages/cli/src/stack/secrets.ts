import { generateKeyPairSync, randomBytes } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StackError } from "./options.js";

/** What the parts of one stack know each other by. Kept in `DIR/secrets.json` (0600), so that a restart reuses them. */
export interface Secrets {
  readonly workPassword: string;
  readonly taskControlStopPassword: string;
  readonly workerStopPassword: string;
  readonly systemPassword: string;
  /** The gateway's bearer token. */
  readonly token: string;
  /** Ed25519, PKCS #8 in DER, base64: signs what is sent on the stop lane. */
  readonly stopPrivateKey: string;
  /** Ed25519, SPKI in DER, base64. */
  readonly stopPublicKey: string;
}

/** 192 bits: beyond guessing, and short enough to copy. */
const SECRET_BYTES = 24;
const NAMES = [
  "workPassword",
  "taskControlStopPassword",
  "workerStopPassword",
  "systemPassword",
  "token",
  "stopPrivateKey",
  "stopPublicKey",
] as const satisfies readonly (keyof Secrets)[];

/**
 * The secrets of a state folder; made at its first start.
 * @throws StackError for a file that is there and cannot be understood: new secrets would lock out whoever has the old
 */
export function secretsIn(stateDir: string): Secrets {
  const path = join(stateDir, "secrets.json");
  const stored = readIfThere(path);
  if (stored !== null) return parse(stored, path);
  const made = make();
  const draft = `${path}.new`;
  writeFileSync(draft, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
  return made;
}

function make(): Secrets {
  const keys = generateKeyPairSync("ed25519");
  return {
    workPassword: secret(),
    taskControlStopPassword: secret(),
    workerStopPassword: secret(),
    systemPassword: secret(),
    token: secret(),
    stopPrivateKey: keys.privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"),
    stopPublicKey: keys.publicKey.export({ format: "der", type: "spki" }).toString("base64"),
  };
}

function secret(): string {
  return randomBytes(SECRET_BYTES).toString("hex");
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw thrown;
  }
}

function parse(text: string, path: string): Secrets {
  const broken = new StackError(`${path} cannot be understood. Put it back, or remove it to have new secrets made.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw broken;
  }
  if (!isSecrets(value)) throw broken;
  return value;
}

function isSecrets(value: unknown): value is Secrets {
  if (value === null || typeof value !== "object") return false;
  const fields: Record<string, unknown> = { ...value };
  return NAMES.every((name) => typeof fields[name] === "string" && fields[name] !== "");
}
