import { asFailure, type Failure } from "@holdfast/protocol";
import type { Msg, Subscription } from "nats";
import { decodeJson, encode } from "./codec.js";
import type { Bus } from "./connect.js";

/** Replies go to inboxes alone: a request that names another subject could make us publish there for its sender. */
const INBOX_PREFIX = "_INBOX.";

export interface Incoming {
  readonly subject: string;
  /** The last token of the subject: the project, or `_all`. */
  readonly last: string;
  /** The asker's inbox, checked; empty when no answer is wanted. */
  readonly replyTo: string;
}

export interface ServeOptions {
  readonly pattern: string;
  /** Replicas that share a name share the messages. */
  readonly queue?: string;
  /** Called for what a handler threw without an asker to tell it to. */
  readonly onFailure: (failure: Failure, incoming: Incoming) => void;
}

/** A value that says: somebody else will answer this asker. */
export const ANSWERED_ELSEWHERE = Symbol("answered elsewhere");

export type Handle = (body: unknown, incoming: Incoming) => unknown;

/**
 * Serves a subject. Every message gets a call of its own, at once: no handler waits behind another,
 * which is what lets a stop pass. What a handler throws is answered as `{ ok: false, failure }`.
 */
export function serve(bus: Bus, options: ServeOptions, handle: Handle): Subscription {
  return bus.nc.subscribe(options.pattern, {
    ...(options.queue ? { queue: options.queue } : {}),
    callback: (error, message) => {
      const incoming = incomingOf(message);
      if (error) options.onFailure(asFailure(error), incoming);
      // An answer that cannot leave, because this end of the link is closing, is no reason to die.
      else
        answer(bus, options, handle, message).catch((thrown: unknown) =>
          options.onFailure(asFailure(thrown), incoming),
        );
    },
  });
}

/** Publishes a prepared answer into an asker's inbox. */
export function replyTo(bus: Bus, inbox: string, body: unknown): void {
  if (inbox.startsWith(INBOX_PREFIX)) bus.nc.publish(inbox, encode(body));
}

/** Hands a request on: whoever serves `subject` answers the first asker directly. */
export function forward(bus: Bus, subject: string, body: unknown, inbox: string): void {
  bus.nc.publish(subject, encode(body), { reply: inbox });
}

async function answer(bus: Bus, options: ServeOptions, handle: Handle, message: Msg): Promise<void> {
  const incoming = incomingOf(message);
  try {
    const result = await handle(decodeJson(message.data), incoming);
    if (result !== ANSWERED_ELSEWHERE && incoming.replyTo) replyTo(bus, incoming.replyTo, result);
  } catch (thrown) {
    const failure = asFailure(thrown);
    if (incoming.replyTo) replyTo(bus, incoming.replyTo, { ok: false, failure });
    if (failure.code === "MCP_INTERNAL" || !incoming.replyTo) options.onFailure(failure, incoming);
  }
}

function incomingOf(message: Msg): Incoming {
  const reply = message.reply ?? "";
  return {
    subject: message.subject,
    last: message.subject.slice(message.subject.lastIndexOf(".") + 1),
    replyTo: reply.startsWith(INBOX_PREFIX) ? reply : "",
  };
}
