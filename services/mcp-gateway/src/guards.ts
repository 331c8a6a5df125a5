import { timingSafeEqual } from "node:crypto";
import { FAILURES } from "@holdfast/protocol";

const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Why a request may not pass, or null.
 * A page in any browser can reach a loopback port: names in Host and Origin that are not loopback's betray it (DNS rebinding).
 */
export function refusalOf(request: Request, token: string | null): Response | null {
  const host = request.headers.get("host");
  if (host !== null && !isLoopback(`http://${host}`)) return refused(403, `The Host ${host} is not this server's.`);
  const origin = request.headers.get("origin");
  if (origin !== null && !isLoopback(origin)) return refused(403, `The Origin ${origin} may not call.`);
  if (token !== null && !bears(request, token)) return refused(401, FAILURES.MCP_UNAUTHORIZED.sentence);
  return null;
}

function isLoopback(address: string): boolean {
  return URL.canParse(address) && LOOPBACK.includes(new URL(address).hostname);
}

function bears(request: Request, token: string): boolean {
  const given = Buffer.from(request.headers.get("authorization") ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function refused(status: 401 | 403, message: string): Response {
  const body = { jsonrpc: "2.0", error: { code: -32_000, message, data: { code: "MCP_UNAUTHORIZED" } }, id: null };
  return Response.json(body, { status, headers: status === 401 ? { "www-authenticate": "Bearer" } : {} });
}
