import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { TOKEN } from "@holdfast/protocol";
import { type NodeIncomingMessageLike, type NodeMcpRequestHandler, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, isLegacyRequest } from "@modelcontextprotocol/server";
import type { Logger } from "pino";
import type { Answering } from "./answering.js";
import { readJson, Unread } from "./body.js";
import { consoleAnswer } from "./console/serve.js";
import { plainCall, writeAnswer } from "./conversation.js";
import { refusalOf } from "./guards.js";
import { BODY_BYTES_MAX } from "./limits.js";
import type { Metrics } from "./metrics.js";
import type { Endpoint } from "./relay.js";
import { buildServer, type ServerParts } from "./server.js";
import type { Sessions } from "./sessions.js";

export interface HttpParts extends ServerParts {
  readonly sessions: Sessions;
  readonly answering: Answering;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Null: no token is asked for. */
  readonly token: string | null;
}

/** The gateway's HTTP face: `/mcp` for both eras of the protocol on one address, `/console`, `/health`, `/metrics`. */
export function httpServer(parts: HttpParts): HttpServer {
  const modern = createMcpHandler(({ requestInfo }) => buildServer(parts, endpointOf(requestInfo?.url ?? "")), {
    legacy: "reject",
    bus: parts.notices,
    maxRequestBodySize: BODY_BYTES_MAX,
    onerror: (error) => parts.log.warn({ err: error }, "a request failed"),
  });
  const handler = toNodeHandler({ fetch: (request, options) => answer(parts, modern, request, options?.parsedBody) });
  return createServer((incoming, outgoing) => void receive(parts, handler, incoming, outgoing));
}

/** The body is read and parsed here, once; what cannot be read is said at once. */
async function receive(
  parts: HttpParts,
  handler: NodeMcpRequestHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const refusal = refusalOf(incoming, parts.token);
  const body = refusal || incoming.method !== "POST" ? undefined : await readJson(incoming, BODY_BYTES_MAX);
  parts.answering.follow(body, outgoing);
  const unread = refusal ?? (body instanceof Unread ? body : null);
  if (!unread && answeredPlainly(parts, incoming, outgoing, body)) return;
  if (!unread) return handler(incoming as NodeIncomingMessageLike, outgoing, body);
  outgoing.writeHead(unread.status, { "content-type": "application/json", ...unread.headers });
  outgoing.end(
    JSON.stringify({
      jsonrpc: "2.0",
      error: { code: unread.code, message: unread.message, data: unread.data },
      id: null,
    }),
  );
}

/** Whether the request is a tool call of a conversation that is open here, and is answered without the SDK's streams. */
function answeredPlainly(parts: HttpParts, incoming: IncomingMessage, outgoing: ServerResponse, body: unknown) {
  const { "mcp-session-id": sessionId } = incoming.headers;
  if (typeof sessionId !== "string" || !/^\/mcp(\?|$)/.test(incoming.url ?? "")) return false;
  const call = plainCall(incoming, body);
  const answer = call && parts.sessions.find(sessionId)?.call(call);
  if (!answer) return false;
  void writeAnswer(outgoing, sessionId, answer);
  return true;
}

type Modern = ReturnType<typeof createMcpHandler>;

async function answer(parts: HttpParts, modern: Modern, request: Request, body: unknown): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/mcp") return mcp(parts, modern, request, body);
  const shown = await consoleAnswer(parts, pathname, body);
  if (shown) return shown;
  if (pathname === "/health")
    return Response.json({ state: parts.gate.state === "open" ? "running" : "draining", inside: parts.gate.inside });
  if (pathname === "/metrics")
    return new Response(await parts.metrics.text(), { headers: { "content-type": parts.metrics.contentType } });
  return Response.json({ error: "There is /mcp, /console, /health and /metrics." }, { status: 404 });
}

async function mcp(parts: HttpParts, modern: Modern, request: Request, body: unknown): Promise<Response> {
  const endpoint = endpointOf(request.url);
  if (endpoint.project !== null && !TOKEN.test(endpoint.project)) {
    return Response.json({ error: `project must match ${TOKEN.source}` }, { status: 400 });
  }
  const options = body === undefined ? {} : { parsedBody: body };
  // A session is a thing of the older protocol, so its header settles the matter without a look at the body.
  const older =
    request.headers.has("mcp-session-id") || request.method !== "POST" || (await isLegacyRequest(request, body));
  return older ? parts.sessions.handle(request, body, endpoint) : modern.fetch(request, options);
}

/** @param url the address of a request; `project` and `structured` are read off its query */
export function endpointOf(url: string): Endpoint {
  const query = URL.canParse(url) ? new URL(url).searchParams : new URLSearchParams();
  return { project: query.get("project"), structured: query.get("structured") === "1" };
}
