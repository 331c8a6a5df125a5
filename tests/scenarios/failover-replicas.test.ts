import {
  connectClient,
  type PageServer,
  startPageServer,
  startTestStack,
  type TestStack,
  until,
} from "@holdfast/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { freeze, kill } from "../support/faults.js";
import { type Client, fine, statusOf, taskIn, told } from "../support/work.js";

/** How soon a call without a worker is refused, in ms, on a slow machine. */
const REFUSED_MS = 12_000;
const CLICKS = 30;

let stack: TestStack;
let pages: PageServer;
let client: Client;

beforeAll(async () => {
  pages = await startPageServer();
  stack = await startTestStack({ taskControls: 2, gateways: 2 });
  client = await stack.client();
});

afterAll(async () => {
  await stack?.stop();
  await pages?.close();
});

const hit = (id: string, operationId: string) => ({
  function: `() => fetch("/hit?id=${id}", { method: "POST" }).then((answer) => answer.text())`,
  operationId,
});

/** Asks until it is answered, by the same id: as a client does whose gateway has gone. */
async function insist(call: () => ReturnType<Client["call"]>): ReturnType<Client["call"]> {
  const answered = async (): Promise<Awaited<ReturnType<Client["call"]>> | null> => {
    const answer = await call().catch(() => null);
    return answer?.code === "MCP_BUS_DOWN" ? null : answer;
  };
  return until(answered, { deadlineMs: 60_000, why: "the call is answered" });
}

test(verifies("failover.task-control"), { timeout: 120_000 }, async () => {
  const work = await taskIn(stack, "replicas", pages.url("/a"));
  const lives: Promise<unknown>[] = [];
  for (let n = 1; n <= CLICKS; n += 1) {
    const asked = insist(() => work.call("browser_evaluate", hit("replicas", `replica-${n}`)));
    // One of the two, then the other, then both at once: the middle of a call is as likely as any other moment.
    if (n === 10 || n === 25) lives.push(kill(stack, "task-control").back());
    if (n === 17 || n === 25) lives.push(kill(stack, "task-control-2").back());
    fine(await asked);
    if (n === 24) await Promise.all(lives);
  }
  await Promise.all(lives);
  expect(pages.hits("replicas")).toBe(CLICKS);
  expect((await statusOf(client, "replicas")).execution?.state).toBe("running");
});

test(verifies("failover.gateway"), { timeout: 90_000 }, async () => {
  const work = await taskIn(stack, "gateway", pages.url("/a?m=session"));
  const url = stack.endpoint.mcpUrl;
  const before = work.call("browser_evaluate", hit("gateway", "before-the-kill"));
  fine(await before);
  const { back } = kill(stack, "mcp-gateway");
  const next = await back();
  expect(new URL(url).port).toBe(String(next.port));
  // The same client object: the same session.
  const again = await insist(() => work.call("browser_evaluate", hit("gateway", "before-the-kill")));
  expect([fine(again).meta.replayed, pages.hits("gateway")]).toEqual([true, 1]);
  expect(fine(await work.call("browser_snapshot")).text).toContain("MARK:/a:session");
});

test(verifies("failover.other-gateway"), { timeout: 60_000 }, async () => {
  const other = stack.stack.children.find(({ name }) => name === "mcp-gateway-2");
  const { mcpUrl, token } = stack.endpoint;
  const elsewhere = mcpUrl.replace(/:\d+\//, `:${other?.port}/`);
  expect(elsewhere).not.toBe(mcpUrl);
  const first = await connectClient({ url: mcpUrl, ...(token ? { token } : {}) });
  told(await first.call("project_open", { workspaceId: "two-gates" }));
  const { sessionId } = first.raw.transport as { sessionId?: string };
  const answer = await fetch(elsewhere, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-session-id": sessionId ?? "",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "project_list", arguments: {} },
    }),
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("two-gates")]);
  await first.close();
});

test(verifies("failover.no-worker"), { timeout: 120_000 }, async () => {
  told(await client.call("project_open", { workspaceId: "unserved" }));
  const { thaw } = freeze(stack, "browser-worker");
  const begun = performance.now();
  const refused = await client
    .call("browser_navigate", { workspaceId: "unserved", url: pages.url("/a") })
    .finally(thaw);
  expect(refused.code).toBe("MCP_NO_WORKER");
  expect(performance.now() - begun).toBeLessThan(REFUSED_MS);
  const passes = async (): Promise<boolean> =>
    (await client.call("browser_navigate", { workspaceId: "unserved", url: pages.url("/a") })).ok;
  await until(passes, { deadlineMs: 30_000, why: "the call passes once the worker is there" });
});
