import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { refusalOf } from "../src/guards.js";

const HERE = { host: "127.0.0.1:4000" };

function refusal(
  headers: Record<string, string>,
  token: string | null = "secret",
  url = "/mcp",
): ReturnType<typeof refusalOf> {
  return refusalOf({ headers: { ...HERE, ...headers }, url } as IncomingMessage, token);
}

const bearer = { authorization: "Bearer secret" };

describe("a request", () => {
  test.each([
    ["with the token", bearer, 200],
    ["with the token, for a host of this machine", { ...bearer, host: "127.0.0.1:4000" }, 200],
    [
      "with the token, from a page of this machine",
      { ...bearer, host: "localhost:4000", origin: "http://localhost:3000" },
      200,
    ],
    ["for the loopback of IPv6", { ...bearer, host: "[::1]:4000" }, 200],
    ["without the token", {}, 401],
    ["with another token", { authorization: "Bearer secreT" }, 401],
    ["with a longer token", { authorization: "Bearer secret2" }, 401],
    ["with the token in another scheme", { authorization: "Basic secret" }, 401],
    ["for a foreign host", { ...bearer, host: "evil.example" }, 403],
    ["for a host that only begins like ours", { ...bearer, host: "localhost.evil.example:80" }, 403],
    ["from a foreign page", { ...bearer, origin: "https://evil.example" }, 403],
    ["from a page without an origin", { ...bearer, origin: "null" }, 403],
    ["from a foreign page, without the token", { origin: "https://evil.example" }, 403],
  ])("%s", (_what, headers, status) => {
    expect(refusal(headers as Record<string, string>)?.status ?? 200).toBe(status);
  });

  test("needs no token where none is asked for, and still no foreign page may call", () => {
    expect(refusal({}, null)).toBeNull();
    expect(refusal({ origin: "https://evil.example" }, null)?.status).toBe(403);
  });

  test("for the health alone needs no token", () => {
    expect(refusal({}, "secret", "/health")).toBeNull();
    expect(refusal({}, "secret", "/metrics")?.status).toBe(401);
  });
});
