import { call } from "@holdfast/bus";
import { type OperationName, operationNamed, TOKEN } from "@holdfast/protocol";
import { ProtocolError, ProtocolErrorCode, type Server, type ServerEvent } from "@modelcontextprotocol/server";
import { type Notices, projectOf, projectUri } from "./notices.js";
import type { Relay } from "./relay.js";

const MIME = "application/json";
const CALLER = { caller: "mcp:resources" };

/** Serves the projects as resources, and lets a client of the older protocol listen to them. */
export function serveResources(server: Server, relay: Relay, notices: Notices): void {
  server.setRequestHandler("resources/list", async () => {
    const { projects } = (await told(relay, "project_list", {})) as { projects: { workspaceId: string }[] };
    return { resources: projects.map(({ workspaceId }) => resourceOf(workspaceId)) };
  });
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: projectUri("{workspaceId}"), name: "project", mimeType: MIME }],
  }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const status = await told(relay, "project_status", { workspaceId: projectIn(uri) });
    return { contents: [{ uri, mimeType: MIME, text: JSON.stringify(status) }] };
  });
  listenOnRequest(server, notices);
}

/** `resources/subscribe`, which only the older protocol has; the newer one listens by a stream of its own. */
function listenOnRequest(server: Server, notices: Notices): void {
  const uris = new Set<string>();
  let stop: (() => void) | null = null;
  const heard = (event: ServerEvent): void => {
    if (event.kind !== "resource_updated" || !uris.has(event.uri)) return;
    // A client that went away is told nothing any more, and that is all.
    server.sendResourceUpdated({ uri: event.uri }).catch(() => stop?.());
  };
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
    projectIn(uri);
    uris.add(uri);
    stop ??= notices.subscribe(heard);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    uris.delete(uri);
    return {};
  });
  server.onclose = () => stop?.();
}

function resourceOf(workspaceId: string) {
  const description = "Cursor, views, execution, tabs and last operations.";
  return { uri: projectUri(workspaceId), name: workspaceId, description, mimeType: MIME };
}

function projectIn(uri: string): string {
  const workspaceId = projectOf(uri);
  if (TOKEN.test(workspaceId)) return workspaceId;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no resource ${uri}.`);
}

async function told(relay: Relay, name: OperationName, request: Record<string, unknown>): Promise<unknown> {
  const answer = await call(relay.bus, operationNamed(name), request, CALLER);
  if (answer.ok) return answer.result;
  const { code, message, details } = answer.failure;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${code}: ${message}`, { code, details });
}
