import type { z } from "zod";
import type { FailureCode } from "./failures.js";
import type { Lane, Subject } from "./subjects.js";

/** Which service answers. */
export type Owner = "task-control" | "browser-worker";

/** One operation, declared once: everything else is derived from this value. */
export interface Operation<
  N extends string = string,
  L extends Lane = Lane,
  Req extends z.ZodObject = z.ZodObject,
  Res extends z.ZodType = z.ZodType,
> {
  /** `family_verb`, the MCP tool's name unless `tool` says otherwise. */
  readonly name: N;
  readonly lane: L;
  readonly subject: Subject<NoInfer<L>>;
  readonly owner: Owner;
  readonly request: Req;
  readonly response: Res;
  /** The codes a caller can meet, beside `COMMON_FAILURES`. */
  readonly failures: readonly FailureCode[];
  /** What it does, in one sentence, for agents, the CLI and the docs alike. */
  readonly sentence: string;
  /** `page`: text for a model. `state`: structured content, and the same JSON as text. */
  readonly answers: "page" | "state";
  /** Where several operations make one MCP tool, told apart by its `action`. */
  readonly tool?: { readonly name: string; readonly action: string };
  /** Older names of arguments that are still taken: alias to name. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** For how long it may run once begun, in ms, unless the caller gives `timeoutMs`. */
  readonly timeoutMs?: number;
  /** It moves the cursor to the tab it names, so it may name another than the one that is held. */
  readonly selectsTab?: true;
  /** It is about the project's tabs as a whole, so there is no tab that could be the wrong one. */
  readonly ofProject?: true;
  /** It closes the tab: a cursor that stood there and has nowhere to go back to is nowhere. */
  readonly closesTab?: true;
  /** An open dialog is no obstacle to it. */
  readonly despiteDialog?: true;
  /** With no tab to act on it opens one. */
  readonly opensTab?: true;
  /** The request fields whose values must not be stored or logged. */
  readonly secrets?: readonly string[];
  /** Nothing changes on the page or in the project. Derived from the lane unless given. */
  readonly readOnly?: boolean;
}

/**
 * Declares an operation.
 * A subject of another lane than the operation's does not compile: a stop can never travel in the queue of the work it stops.
 */
export function operation<const N extends string, L extends Lane, Req extends z.ZodObject, Res extends z.ZodType>(
  declaration: Operation<N, L, Req, Res>,
): Operation<N, L, Req, Res> {
  return declaration;
}

export type RequestOf<O> = O extends { request: infer R extends z.ZodType } ? z.output<R> : never;
/** What a caller may leave out, left out. */
export type RequestInputOf<O> = O extends { request: infer R extends z.ZodType } ? z.input<R> : never;
export type ResponseOf<O> = O extends { response: infer R extends z.ZodType } ? z.output<R> : never;

/** One handler for each operation of a list: one that is missing does not compile. */
export type Handlers<Ops extends readonly Operation[], Context> = {
  readonly [O in Ops[number] as O["name"]]: (
    request: RequestOf<O>,
    context: Context,
  ) => Promise<ResponseOf<O>> | ResponseOf<O>;
};

/** Failures that every operation can meet. */
export const COMMON_FAILURES = [
  "MCP_BAD_ARGUMENTS",
  "MCP_PROJECT_NOT_FOUND",
  "MCP_BUS_DOWN",
  "MCP_CLOSING",
  "MCP_DEADLINE",
  "MCP_INTERNAL",
] as const satisfies readonly FailureCode[];

export function isReadOnly(op: Operation): boolean {
  return op.readOnly ?? op.lane === "query";
}
