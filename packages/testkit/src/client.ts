import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type RawToolResult, type ToolAnswer, toolAnswer } from "./tool-answer.js";

export interface ClientOptions {
  /** The `mcpUrl` of `endpoint.json`. */
  readonly url: string;
  readonly token?: string;
  /** The project of the endpoint, as in `/mcp?project=shop-a`. */
  readonly project?: string;
  readonly name?: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

export interface ToolListed {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** A real MCP client over Streamable HTTP. `raw` is the library's own, for what is not wrapped. */
export interface TestClient<Raw> {
  readonly call: (tool: string, args?: Record<string, unknown>, options?: CallOptions) => Promise<ToolAnswer>;
  readonly listTools: () => Promise<readonly ToolListed[]>;
  readonly raw: Raw;
  readonly close: () => Promise<void>;
}

/** Longer than the longest thing a test waits for: the deadline under test is Holdfast's, not the client's. */
const CALL_TIMEOUT_MS = 120_000;

/** A client of the line that agents have had until 2026: the server has to speak with it too. */
export async function connectClient(options: ClientOptions): Promise<TestClient<Client>> {
  const raw = new Client({ name: options.name ?? "testkit", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(addressOf(options), {
    requestInit: { headers: headersOf(options) },
  });
  // The library declares its own transport less exactly than the interface that it takes.
  await raw.connect(transport as Parameters<Client["connect"]>[0]);
  const send = async (params: ToolCall, callOptions: LibraryOptions): Promise<RawToolResult> =>
    raw.callTool(params, undefined, callOptions);
  return { raw, call: caller(send), listTools: async () => (await raw.listTools()).tools, close: () => raw.close() };
}

/** A client of the current line, which settles the protocol with the server by itself. */
export async function connectModernClient(options: ClientOptions): Promise<TestClient<ModernClient>> {
  const raw = new ModernClient(
    { name: options.name ?? "testkit-modern", version: "1.0.0" },
    { versionNegotiation: { mode: "auto" } },
  );
  await raw.connect(new ModernTransport(addressOf(options), { requestInit: { headers: headersOf(options) } }));
  const send = async (params: ToolCall, callOptions: LibraryOptions): Promise<RawToolResult> =>
    raw.callTool(params, callOptions);
  return { raw, call: caller(send), listTools: async () => (await raw.listTools()).tools, close: () => raw.close() };
}

interface ToolCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

interface LibraryOptions {
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

function caller(
  send: (params: ToolCall, options: LibraryOptions) => Promise<RawToolResult>,
): TestClient<unknown>["call"] {
  return async (tool, args = {}, options = {}) => {
    const { signal, timeoutMs = CALL_TIMEOUT_MS } = options;
    const result = await send({ name: tool, arguments: args }, { timeout: timeoutMs, ...(signal ? { signal } : {}) });
    return toolAnswer(tool, result);
  };
}

function addressOf({ url, project }: ClientOptions): URL {
  const address = new URL(url);
  if (project !== undefined) address.searchParams.set("project", project);
  return address;
}

function headersOf({ token }: ClientOptions): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
