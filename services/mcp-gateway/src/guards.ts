import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { FAILURES } from "@holdfast/protocol";
import { Unread } from "./body.js";

const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];
const NOT_ALLOWED = -32_000;

/**
 * Why a request may not pass, or null.
 * A page in any browser can reach a loopback port: names in Host and Origin that are not loopback's betray it (DNS rebinding).
 */
export function refusalOf({ headers, url }: IncomingMessage, token: string | null): Unread | null {
  // Neither tells anything of a project.
  if (url === "/health" || url === "/console") return null;
  if (!isLoopback(`http://${headers.host ?? ""}`))
    return new Unread(403, NOT_ALLOWED, `The Host ${headers.host} is not this server's.`);
  const origin = headers.origin;
  if (origin !== undefined && !isLoopback(origin))
    return new Unread(403, NOT_ALLOWED, `The Origin ${origin} may not call.`);
  if (token === null || bears(headers.authorization, token)) return null;
  return new Unread(401, NOT_ALLOWED, FAILURES.MCP_UNAUTHORIZED.sentence, { "www-authenticate": "Bearer" });
}

function isLoopback(address: string): boolean {
  return URL.canParse(address) && LOOPBACK.includes(new URL(address).hostname);
}

function bears(authorization: string | undefined, token: string): boolean {
  const given = Buffer.from(authorization ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
