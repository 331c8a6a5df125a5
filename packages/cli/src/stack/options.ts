import type { UrlRules } from "@holdfast/protocol";

/** The services of a stack, and the server that carries their messages. */
export type ServiceName = "task-control" | "browser-worker" | "mcp-gateway";
export type ChildName = ServiceName | "nats-server";

export interface StackOptions {
  /** Where everything the stack keeps is put; made if it is not there. */
  readonly stateDir: string;
  /** The gateway's port on 127.0.0.1; 0, the default, takes a free one. */
  readonly port?: number;
  /** Browser workers to run; 1 by default. */
  readonly workers?: number;
  /** Replicas of task-control; 1 by default. */
  readonly taskControls?: number;
  /** Gateways; 1 by default. The first has `port`, the others take free ones. */
  readonly gateways?: number;
  /** Show the browsers' windows. */
  readonly headed?: boolean;
  /** A server with JetStream that runs already; by default one is started. */
  readonly natsUrl?: string;
  /** The browser's path, or `cdp:URL` of one that runs; by default it is located. */
  readonly browser?: string;
  /** Rules for what pages may load, for every project; by default those of `HOLDFAST_URL_RULES`, if it is set. */
  readonly urlRules?: UrlRules;
  /** The gateway asks for no token. For loopback alone. */
  readonly noAuth?: boolean;
  /** Variables for the services beside those of the contract. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the stack in good order when it is aborted, also while it starts. */
  readonly signal?: AbortSignal;
  /** Other programs in place of the built services: for tests. */
  readonly entries?: Readonly<Partial<Record<ServiceName, string>>>;
  /** Told what happens, as it happens. */
  readonly onEvent?: (event: StackEvent) => void;
}

export interface StackEvent {
  readonly event: "starting" | "ready" | "exited" | "restarting" | "closing" | "stopped" | "note";
  /** The child it is about, such as `browser-worker-2`; empty when it is about the whole. */
  readonly child: string;
  /** A short line for people. */
  readonly text: string;
}

/** What `DIR/endpoint.json` holds while a stack runs. */
export interface Endpoint {
  readonly mcpUrl: string;
  readonly consoleUrl: string;
  readonly healthUrl: string;
  readonly metricsUrl: string;
  /** With the user and password in it: whoever has it reaches every operation. */
  readonly natsUrl: string;
  /** What the gateway wants as bearer token; null with `noAuth`. */
  readonly token: string | null;
  /** The process that looks after the stack. */
  readonly pid: number;
}

export interface StackChild {
  readonly service: ChildName;
  /** Unique in the stack and the name of its log: `task-control`, `browser-worker-2`. */
  readonly name: string;
  /** The process that runs now; it changes when the child is restarted. 0 between two lives. */
  readonly pid: number;
  /** Where it listens, if it listens. */
  readonly port?: number;
  readonly state: "starting" | "running" | "restarting" | "stopped";
}

export interface Stack {
  readonly endpoint: Endpoint;
  /** As they are at the moment of reading. */
  readonly children: readonly StackChild[];
  /** Settles when the last child has ended: 0 after a quit or a stop, 1 when the stack could not be kept up. */
  readonly closed: Promise<{ readonly code: number }>;
  /**
   * Ends everything: gateways, workers, task-control, the server, each under a deadline, then by SIGKILL.
   * @param signal `SIGKILL` ends all at once, without any order
   */
  readonly stop: (signal?: "SIGTERM" | "SIGKILL") => Promise<void>;
}

/** Why a stack did not start; the message is a sentence for people. */
export class StackError extends Error {
  override readonly name = "StackError";
}
