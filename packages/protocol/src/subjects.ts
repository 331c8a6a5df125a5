import { HoldfastError } from "./failures.js";
import { ALL_PROJECTS, TOKEN } from "./ids.js";

/** How a message travels. See ARCHITECTURE.md, "Lanes". */
export type Lane = "query" | "mutation" | "control";

const PREFIX = "holdfast.v1";

/** A subject pattern that belongs to one lane, for life: the lane is part of the type. */
export interface Subject<L extends Lane = Lane> {
  readonly lane: L;
  /** The subject for one project. Throws `MCP_BAD_ARGUMENTS` on a name that is no token. */
  readonly for: (workspaceId: string) => string;
  /** What the server of the operation subscribes to. */
  readonly pattern: string;
}

/** @throws HoldfastError `MCP_BAD_ARGUMENTS` */
export function checkToken(value: string, field: string): string {
  if (TOKEN.test(value)) return value;
  throw new HoldfastError("MCP_BAD_ARGUMENTS", `${field} must match ${TOKEN.source}`, { field });
}

function subject<L extends Lane>(lane: L, head: string): Subject<L> {
  return {
    lane,
    pattern: `${PREFIX}.${head}.*`,
    for: (workspaceId) => `${PREFIX}.${head}.${checkToken(workspaceId, "workspaceId")}`,
  };
}

/** Reads and changes that need a page are admitted first, on one subject for each lane. */
export const subjects = {
  mutation: () => subject("mutation", "mutation"),
  query: (family: string, op: string) => subject("query", `query.${family}.${op}`),
  control: (op: string) => subject("control", `control.${op}`),
} as const;

/** Subjects between our own processes. They carry envelopes of `wire.ts`, not operations. */
export const wire = {
  /** Asks task-control to admit a mutation; it publishes what it admits on the mutation stream. */
  admit: (workspaceId: string) => `${PREFIX}.admit.${checkToken(workspaceId, "workspaceId")}`,
  admitPattern: `${PREFIX}.admit.*`,
  /** The queue of a project; only task-control publishes here. */
  mutation: (workspaceId: string) => subjects.mutation().for(workspaceId),
  mutationPattern: `${PREFIX}.mutation.*`,
  fact: (workspaceId: string) => `${PREFIX}.fact.${checkToken(workspaceId, "workspaceId")}`,
  factPattern: `${PREFIX}.fact.*`,
  /** What was done in a project, for those who ask later. */
  history: (workspaceId: string) => `${PREFIX}.history.${checkToken(workspaceId, "workspaceId")}`,
  historyPattern: `${PREFIX}.history.*`,
  /** Stop and shutdown to workers: in an account of its own, where only task-control may publish. */
  stop: (workspaceId: string) => `${PREFIX}.stop.${checkToken(workspaceId, "workspaceId")}`,
  stopPattern: `${PREFIX}.stop.*`,
  shutdown: `${PREFIX}.stop.${ALL_PROJECTS}`,
  /** Reads, saves and hand-overs addressed to one worker. */
  worker: (workerId: string, call: string) => `${PREFIX}.worker.${checkToken(workerId, "workerId")}.${call}`,
  /** Any worker may answer: it takes the lease of the project named. */
  claim: `${PREFIX}.claim`,
  /** A worker's process was seen to end. */
  workerGone: `${PREFIX}.gone`,
  /** A worker tells task-control what it saw: ends of operations, tabs that came and went. */
  report: (workspaceId: string) => `${PREFIX}.report.${checkToken(workspaceId, "workspaceId")}`,
  reportPattern: `${PREFIX}.report.*`,
} as const;
