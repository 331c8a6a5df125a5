import type { Secrets } from "./secrets.js";

/** Messages above this are refused, in bytes: large things travel as artifacts. */
export const MAX_PAYLOAD_BYTES = 1_048_576;

const LOOPBACK = "127.0.0.1";

export interface NatsConfig {
  /** Where it listens; by default where no other machine can reach it. */
  readonly host?: string;
  readonly port: number;
  /** JetStream's files. */
  readonly storeDir: string;
  readonly pidFile: string;
  readonly secrets: Secrets;
  /** The server's own version, such as `2.9.10`; an unknown one is taken to be old. */
  readonly version?: string;
}

/**
 * The embedded server's configuration. Stop travels in the account CTRL and nowhere else: inside WORK anyone who may
 * publish can make the server write to any subject through the reply field, so permissions there could not protect it.
 */
export function natsConfig(config: NatsConfig): string {
  const { secrets } = config;
  return `# Written by holdfast at each start; changes are lost.
host: ${quote(config.host ?? LOOPBACK)}
port: ${config.port}
pid_file: ${quote(config.pidFile)}
max_payload: ${MAX_PAYLOAD_BYTES}
jetstream {
  store_dir: ${quote(config.storeDir)}${syncLine(config.version)}
}
accounts {
  WORK {
    jetstream: enabled
    users: [{ user: "work", password: ${quote(secrets.workPassword)} }]
  }
  CTRL {
    users: [
      {
        user: "task-control", password: ${quote(secrets.taskControlStopPassword)}
        permissions: { publish: ["holdfast.v1.stop.>"], subscribe: ["_INBOX.>"] }
      }
      {
        user: "worker", password: ${quote(secrets.workerStopPassword)}
        permissions: { publish: { deny: [">"] }, subscribe: ["holdfast.v1.stop.>"], allow_responses: true }
      }
    ]
  }
  SYS { users: [{ user: "sys", password: ${quote(secrets.systemPassword)} }] }
}
system_account: SYS
`;
}

export type NatsUser = "work" | "task-control" | "worker";

/** The address of a server for one of its users, password included. */
export function natsUrlFor(user: NatsUser, port: number, secrets: Secrets, host = LOOPBACK): string {
  const passwords = {
    work: secrets.workPassword,
    "task-control": secrets.taskControlStopPassword,
    worker: secrets.workerStopPassword,
  };
  return `nats://${user}:${passwords[user]}@${host}:${port}`;
}

/**
 * A single server writes through to the disk: its default is to do so every two minutes, and what it has said
 * to hold would be lost with the power. 2.9 refuses the word.
 */
function syncLine(version: string | undefined): string {
  return atLeast(version, 2, 10) ? "\n  sync_interval: always" : "";
}

export function atLeast(version: string | undefined, major: number, minor: number): boolean {
  const [a = 0, b = 0] = (version ?? "").split(".").map(Number);
  return a > major || (a === major && b >= minor);
}

function quote(text: string): string {
  return JSON.stringify(text);
}
