import type { IncomingMessage } from "node:http";

/** Why a request got no further than its head or its body. */
export class Unread {
  readonly status: number;
  /** JSON-RPC's code. */
  readonly code: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: { readonly code: "MCP_BAD_ARGUMENTS" | "MCP_UNAUTHORIZED" };

  constructor(status: number, code: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.code = code;
    this.message = message;
    this.headers = headers;
    this.data = { code: status === 401 || status === 403 ? "MCP_UNAUTHORIZED" : "MCP_BAD_ARGUMENTS" };
  }
}

const INVALID_REQUEST = -32_600;
const PARSE_ERROR = -32_700;

/** A request's body as JSON, or why it is none. What is too large is not kept while it comes. */
export async function readJson(incoming: IncomingMessage, bytesMax: number): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= bytesMax) chunks.push(chunk);
  }
  if (bytes > bytesMax)
    return new Unread(413, INVALID_REQUEST, `The body has ${bytes} bytes; ${bytesMax} are allowed.`);
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown;
  } catch {
    // Told by its status and its code; there is nothing else to know about it.
    return new Unread(400, PARSE_ERROR, "The body is not JSON.");
  }
}
