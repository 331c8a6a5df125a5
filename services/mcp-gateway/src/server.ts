import { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode, Server } from "@modelcontextprotocol/server";
import type { GateKeeper } from "./gate-keeper.js";
import { PROGRESS_EVERY_MS } from "./limits.js";
import type { Notices } from "./notices.js";
import { type Caller, callTool, type Endpoint, isTool, type Relay } from "./relay.js";
import { serveResources } from "./resources.js";
import { tools } from "./tools.js";

const INSTRUCTIONS = `Holdfast runs browser work for several projects at once. Each project has a cursor: the tab its work goes on at.
Page tools act on the cursor unless you name a tabId. Before a longer piece of work call task_start and give its taskId to every call:
the project is then yours, and outlives your connection. Read with browser_snapshot; act with the refs it gives. A failure begins with a code and says what to do.
With your own operationId you may ask again after a lost answer: nothing is run twice. project_status tells where everything stands.`;

export interface ServerParts {
  readonly relay: Relay;
  readonly gate: GateKeeper;
  readonly notices: Notices;
}

/** One MCP server for one request or one conversation: it holds no truth of its own. */
export function buildServer({ relay, gate, notices }: ServerParts, endpoint: Endpoint): Server {
  const server = new Server(
    { name: "holdfast", title: "Holdfast", version: "0.1.0" },
    { capabilities: { tools: {}, resources: { subscribe: true } }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler("tools/list", () => ({ tools: tools.map((tool) => ({ ...tool })) as never }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    if (!isTool(params.name))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`);
    const { signal, _meta, notify } = context.mcpReq;
    const stopProgress = progress(_meta?.progressToken, notify);
    const caller: Caller = {
      name: `mcp:${context.sessionId ?? "stateless"}`,
      endpoint,
      signal,
      cancelled: () => !isDisconnect(signal.reason),
    };
    try {
      return await gate.pass(() => callTool(relay, params.name, params.arguments ?? {}, caller));
    } finally {
      stopProgress();
    }
  });
  serveResources(server, relay, notices);
  return server;
}

/** A conversation that ended ends no work; a call that was cancelled does. The SDK tells the two apart by what it aborts with. */
function isDisconnect(reason: unknown): boolean {
  return reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed;
}

type Notify = (notification: {
  method: "notifications/progress";
  params: { progressToken: string | number; progress: number; message: string };
}) => Promise<void>;

/** Tells a client that asked for it that its call is alive; without a word some give up after a minute. */
function progress(progressToken: string | number | undefined, notify: Notify): () => void {
  if (progressToken === undefined) return () => undefined;
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    const params = { progressToken, progress: ticks, message: `running for ${(ticks * PROGRESS_EVERY_MS) / 1_000} s` };
    // A client that went away hears nothing, and the call goes on.
    notify({ method: "notifications/progress", params }).catch(() => clearInterval(timer));
  }, PROGRESS_EVERY_MS);
  return () => clearInterval(timer);
}
