// A client to be killed: it connects, makes one call, and tells what came of it.
// node killed-client.mjs old|modern|stdio <json: { url, token, stateDir, cli, tool, args }>
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [line, json] = process.argv.slice(2);
const { url, token, stateDir, cli, tool, args } = JSON.parse(json);
const requestInit = { headers: { authorization: `Bearer ${token}` } };
const info = { name: "killed-client", version: "1.0.0" };
const call = { name: tool, arguments: args };

async function connected() {
  if (line === "modern") {
    const client = new ModernClient(info, { versionNegotiation: { mode: "auto" } });
    await client.connect(new ModernTransport(new URL(url), { requestInit }));
    return () => client.callTool(call);
  }
  const client = new Client(info);
  await client.connect(
    line === "stdio"
      ? new StdioClientTransport({ command: process.execPath, args: [cli, "mcp", "--state", stateDir] })
      : new StreamableHTTPClientTransport(new URL(url), { requestInit }),
  );
  return () => client.callTool(call);
}

const send = await connected();
const answer = await send();
console.log(JSON.stringify(answer));
process.exit(0);
