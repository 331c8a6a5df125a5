import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Endpoint } from "./options.js";

/** Where a stack is reached. Without a gateway the addresses are empty. */
export function endpointAt(gatewayPort: number | null, natsUrl: string, token: string | null): Endpoint {
  const at = (path: string) => (gatewayPort === null ? "" : `http://127.0.0.1:${gatewayPort}/${path}`);
  return {
    mcpUrl: at("mcp"),
    consoleUrl: at("console"),
    healthUrl: at("health"),
    metricsUrl: at("metrics"),
    natsUrl,
    token,
    pid: process.pid,
  };
}

export function endpointPath(stateDir: string): string {
  return join(stateDir, "endpoint.json");
}

/** Puts the file there whole: whoever waits for it never reads half of one. */
export function writeEndpoint(stateDir: string, endpoint: Endpoint): void {
  const path = endpointPath(stateDir);
  writeFileSync(`${path}.new`, `${JSON.stringify(endpoint, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export function removeEndpoint(stateDir: string): void {
  rmSync(endpointPath(stateDir), { force: true });
}

/** The endpoint of the stack of a state folder, or null when the folder has none. The stack may have died since. */
export function readEndpoint(stateDir: string): Endpoint | null {
  try {
    const value: unknown = JSON.parse(readFileSync(endpointPath(stateDir), "utf8"));
    return isEndpoint(value) ? value : null;
  } catch {
    return null;
  }
}

function isEndpoint(value: unknown): value is Endpoint {
  return value !== null && typeof value === "object" && "natsUrl" in value && typeof value.natsUrl === "string";
}
