import type { IncomingMessage, ServerResponse } from "node:http";
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { ALIVE_EVERY_MS, PLAIN_ANSWER_MS } from "./limits.js";

/**
 * A conversation of the older protocol. The SDK answers every request on a stream of web standards, which costs more than
 * all else that the gateway does; a tool call that asks for no progress is answered here as one plain body.
 */
export class Conversation extends WebStandardStreamableHTTPServerTransport {
  readonly #calls = new Map<RequestId, (answer: JSONRPCMessage | null) => void>();

  /**
   * Resolves with the answer, also when the conversation ends; with null when the call is cancelled, since then nobody wants one.
   * @returns null for an id that is being answered already
   */
  call(request: JSONRPCRequest): Promise<JSONRPCMessage | null> | null {
    if (this.#calls.has(request.id)) return null;
    return new Promise((resolve) => {
      this.#calls.set(request.id, resolve);
      this.onmessage?.(request);
    });
  }

  override async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    const id = "method" in message ? undefined : message.id;
    if (id === undefined || !this.#settle(id, message)) await super.send(message, options);
  }

  /** The SDK ends what the client cancels, and answers nothing. */
  override async handleRequest(request: Request, options?: { parsedBody?: unknown }): Promise<Response> {
    const response = await super.handleRequest(request, options);
    const id = cancelledIn(options?.parsedBody);
    if (id !== undefined) this.#settle(id, null);
    return response;
  }

  override async close(): Promise<void> {
    await super.close();
    this.giveUp();
  }

  /** Tells whoever still waits for a plain answer that none will come from here; the work goes on. */
  giveUp(): void {
    const error = { code: -32_000, message: "The conversation was closed." };
    for (const id of this.#calls.keys()) this.#settle(id, { jsonrpc: "2.0", id, error });
  }

  #settle(id: RequestId, answer: JSONRPCMessage | null): boolean {
    const settle = this.#calls.get(id);
    this.#calls.delete(id);
    settle?.(answer);
    return settle !== undefined;
  }
}

const cancelled = z.object({
  method: z.literal("notifications/cancelled"),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
});

function cancelledIn(body: unknown): RequestId | undefined {
  return cancelled.safeParse(body).data?.params.requestId;
}

/** The tool call that a request is, if one plain body may answer it; what is wrong with any other is for the SDK to say. */
export function plainCall({ headers }: IncomingMessage, body: unknown): JSONRPCRequest | null {
  const { accept = "", "content-type": type = "", "mcp-protocol-version": version } = headers;
  const spoken = version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version));
  const takes = accept.includes("application/json") && accept.includes("text/event-stream");
  if (!spoken || !takes || !type.startsWith("application/json") || !isJSONRPCRequest(body)) return null;
  return body.method === "tools/call" && body.params?._meta?.progressToken === undefined ? body : null;
}

/** Writes the answer when it comes. One that takes long comes on a stream: what is silent is given up on the way. */
export async function writeAnswer(outgoing: ServerResponse, sessionId: string, answer: Promise<JSONRPCMessage | null>) {
  let alive: NodeJS.Timeout | undefined;
  const late = setTimeout(() => {
    outgoing.writeHead(200, { ...STREAM, "mcp-session-id": sessionId }).flushHeaders();
    alive = setInterval(() => outgoing.write(": alive\n\n"), ALIVE_EVERY_MS);
  }, PLAIN_ANSWER_MS);
  const done = (): void => {
    clearTimeout(late);
    clearInterval(alive);
  };
  outgoing.once("close", done);
  const answered = await answer;
  const message = JSON.stringify(answered);
  done();
  if (answered === null && !outgoing.headersSent) outgoing.writeHead(200, STREAM);
  if (answered === null) return void outgoing.end();
  if (outgoing.headersSent) return void outgoing.end(`event: message\ndata: ${message}\n\n`);
  const length = Buffer.byteLength(message);
  outgoing.writeHead(200, { ...PLAIN, "content-length": length, "mcp-session-id": sessionId }).end(message);
}

const PLAIN = { "content-type": "application/json" };
const STREAM = { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform" };
