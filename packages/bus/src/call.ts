import {
  type Answer,
  answer,
  asFailure,
  type Call,
  checkToken,
  failure,
  noIdentity,
  type Operation,
  type OperationName,
  type OperationNamed,
  parseRequest,
  type RequestInputOf,
  wire,
  workspaceOf,
} from "@holdfast/protocol";
import { type AskOptions, ask } from "./ask.js";
import type { Bus } from "./connect.js";
import { ASK_HURRIED_MS, ASK_RETRY_MS, BUS_PATIENCE_MS, REQUEST_BYTES_MAX, REQUEST_MS } from "./limits.js";
import { pause } from "./pause.js";

export interface CallOptions {
  /** Who calls, for the record. */
  readonly caller: string;
  /** The operation's id, where the caller minted it and the request does not name it. */
  readonly operationId?: string;
  /** Ends the wait for the answer; the operation goes on. */
  readonly signal?: AbortSignal;
}

/** ms a mutation may stand in the queue before it is begun: as long as the longest operation in front of it. */
export const QUEUE_WAIT_MS = 600_000;
/** ms that the answer may take on top of what the operation itself may. */
const ANSWER_GRACE_MS = 5_000;

/**
 * Calls any operation of the catalogue and always gives an answer: whatever goes wrong is a failure of the closed list.
 */
export async function call<N extends OperationName>(
  bus: Bus,
  op: OperationNamed<N> | Operation,
  input: RequestInputOf<OperationNamed<N>> | Record<string, unknown>,
  options: CallOptions,
): Promise<Answer> {
  let operationId = "";
  try {
    const parsed = parseRequest(op, input);
    const chosen = typeof parsed.operationId === "string";
    operationId = chosen ? String(parsed.operationId) : (options.operationId ?? mintOperationId());
    const body: Call = { operation: op.name, operationId, chosen, request: parsed, caller: options.caller };
    const until = performance.now() + BUS_PATIENCE_MS;
    for (;;) {
      const answer = await asked(bus, op, body, options);
      if (answer.ok || answer.failure.details.moving !== true || performance.now() > until) return answer;
      // The project has left one worker and is not at the next one yet: nothing was done, so it is asked for again.
      await pause(ASK_RETRY_MS, options.signal);
    }
  } catch (thrown) {
    return { ok: false, failure: asFailure(thrown), identity: noIdentity(operationId) };
  }
}

/** Asked twice these do what they do once, and whoever asks for them is in a hurry. */
const HURRIED = /_(stop|cancel|open)$/;

/** A read may be asked twice, and a change has its id; an order is asked again only if it does no harm, or nobody has heard it. */
function repeatOf({ lane, name }: Operation): Pick<AskOptions, "repeat" | "againMs"> {
  if (lane !== "control") return { repeat: "until_answered" };
  return HURRIED.test(name) ? { repeat: "until_answered", againMs: ASK_HURRIED_MS } : { repeat: "when_unheard" };
}

async function asked(bus: Bus, op: Operation, body: Call, options: CallOptions): Promise<Answer> {
  const bytes = Buffer.byteLength(JSON.stringify(body.request));
  if (bytes > REQUEST_BYTES_MAX) {
    const told = `The request has ${bytes} bytes; ${REQUEST_BYTES_MAX} are allowed.`;
    return failed(body, failure("MCP_BAD_ARGUMENTS", told, { bytes, bytesMax: REQUEST_BYTES_MAX }));
  }
  const workspaceId = checkToken(workspaceOf(body.request), "workspaceId");
  const subject = op.lane === "mutation" ? wire.admit(workspaceId) : op.subject.for(workspaceId);
  const reply = await ask(bus, subject, body, {
    timeoutMs: waitMs(op, body.request),
    ...repeatOf(op),
    // A read is handed on to the worker that serves the project, and it is the worker that may be missing.
    nobody: op.owner === "browser-worker" && op.lane === "query" ? "MCP_NO_WORKER" : "MCP_BUS_DOWN",
    ...(options.signal ? { signal: options.signal } : {}),
  });
  const parsed = answer.safeParse(reply);
  if (parsed.success) return parsed.data;
  // A service that could not even begin answers with the bare failure.
  const bare = answer.safeParse({ ...(reply as object), identity: noIdentity(body.operationId) });
  return bare.success ? bare.data : failed(body, failure("MCP_INTERNAL", "The answer has another shape."));
}

function failed(body: Call, value: ReturnType<typeof failure>): Answer {
  return { ok: false, failure: value, identity: noIdentity(body.operationId) };
}

function waitMs(op: Operation, parsed: Readonly<Record<string, unknown>>): number {
  const given = typeof parsed.timeoutMs === "number" ? parsed.timeoutMs : (op.timeoutMs ?? REQUEST_MS);
  return given + ANSWER_GRACE_MS + (op.lane === "mutation" ? QUEUE_WAIT_MS : 0);
}

/** Unguessable, so that nobody can ask for another's outcome by counting; 96 random bits. */
export function mintOperationId(): string {
  return `o_${Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString("base64url")}`;
}
