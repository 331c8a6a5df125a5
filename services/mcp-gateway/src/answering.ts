import { once } from "node:events";
import type { ServerResponse } from "node:http";

/**
 * The answers to tool calls that are on their way. A call has left the gate when its answer is there, and the answer still has
 * to be written: who closes the conversations before that takes it away from a client that waits for it.
 */
export class Answering {
  readonly #open = new Set<ServerResponse>();

  /** Follows the response, if a tool call is what it answers. */
  follow(body: unknown, response: ServerResponse): void {
    if (![body].flat().some(isToolCall) || response.closed) return;
    this.#open.add(response);
    response.once("close", () => this.#open.delete(response));
  }

  /** Resolves when each has been written, or its client is gone. */
  async ended(): Promise<void> {
    await Promise.all([...this.#open].map((response) => once(response, "close")));
  }
}

function isToolCall(message: unknown): boolean {
  return typeof message === "object" && message !== null && "method" in message && message.method === "tools/call";
}
