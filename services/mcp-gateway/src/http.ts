import { createServer, type Server as HttpServer } from "node:http";
import { type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, isLegacyRequest } from "@modelcontextprotocol/server";
import { TOKEN } from "@holdfast/protocol";
import type { Logger } from "pino";
import type { GateKeeper } from "./gate-keeper.js";
import { refusalOf } from "./guards.js";
import { BODY_BYTES_MAX } from "./limits.js";
import type { Metrics } from "./metrics.js";
import type { Endpoint, Relay } from "./relay.js";
import { buildServer } from "./server.js";
import type { Sessions } from "./sessions.js";

export interface HttpParts {
  readonly relay: Relay;
  readonly gate: GateKeeper;
  readonly sessions: Sessions;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Null: no token is asked for. */
  readonly token: string | null;
}

/** The gateway's HTTP face: `/mcp` for both eras of the protocol on one address, `/health`, `/metrics`. */
export function httpServer(parts: HttpParts): HttpServer {
  const modern = createMcpHandler(({ requestInfo }) => buildServer(parts.relay, parts.gate, endpointOf(requestInfo?.url ?? "")), {
    legacy: "reject",
    maxRequestBodySize: BODY_BYTES_MAX,
    onerror: (error) => parts.log.warn({ err: error }, "a request failed"),
  });
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname === "/health") return Response.json({ state: parts.gate.state === "open" ? "running" : "draining", inside: parts.gate.inside });
    const refusal = refusalOf(request, parts.token);
    if (refusal) return refusal;
    if (pathname === "/metrics") return new Response(await parts.metrics.text(), { headers: { "content-type": parts.metrics.contentType } });
    if (pathname !== "/mcp") return Response.json({ error: "There is /mcp, /health and /metrics." }, { status: 404 });
    return mcp(parts, modern, request);
  };
  const handler = toNodeHandler({ fetch });
  return createServer((incoming, outgoing) => void handler(incoming as NodeIncomingMessageLike, outgoing));
}

async function mcp(parts: HttpParts, modern: ReturnType<typeof createMcpHandler>, request: Request): Promise<Response> {
  const endpoint = endpointOf(request.url);
  if (endpoint.project !== null && !TOKEN.test(endpoint.project)) {
    return Response.json({ error: `project must match ${TOKEN.source}` }, { status: 400 });
  }
  if (request.method !== "POST") return parts.sessions.handle(request, undefined, endpoint);
  if (!(await isLegacyRequest(request))) return modern.fetch(request);
  const text = await request.text();
  if (Buffer.byteLength(text) > BODY_BYTES_MAX) return tooLarge();
  const body = parsed(text);
  return body === undefined ? notJson() : parts.sessions.handle(request, body, endpoint);
}

/** @param url the address of a request; `project` and `structured` are read off its query */
export function endpointOf(url: string): Endpoint {
  const query = URL.canParse(url) ? new URL(url).searchParams : new URLSearchParams();
  return { project: query.get("project"), structured: query.get("structured") === "1" };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Said in the answer, by its status and its code.
    return undefined;
  }
}

function notJson(): Response {
  return Response.json({ jsonrpc: "2.0", error: { code: -32_700, message: "The body is not JSON." }, id: null }, { status: 400 });
}

function tooLarge(): Response {
  const message = `The body has more than ${BODY_BYTES_MAX} bytes.`;
  return Response.json({ jsonrpc: "2.0", error: { code: -32_600, message, data: { code: "MCP_BAD_ARGUMENTS" } }, id: null }, { status: 413 });
}
