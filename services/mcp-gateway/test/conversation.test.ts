import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Conversation, plainCall, writeAnswer } from "../src/conversation.js";
import { ALIVE_EVERY_MS, PLAIN_ANSWER_MS } from "../src/limits.js";

const CALL: JSONRPCRequest = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "system_status" } };
const ANSWER: JSONRPCMessage = { jsonrpc: "2.0", id: 7, result: { content: [] } };
const HEADERS = { accept: "application/json, text/event-stream", "content-type": "application/json" };

const asked = (body: unknown, headers: IncomingHttpHeaders = {}) =>
  plainCall({ headers: { ...HEADERS, ...headers } } as IncomingMessage, body);

describe("a tool call of the older protocol", () => {
  test("is answered plainly, unless it asks for progress", () => {
    expect(asked(CALL)).toEqual(CALL);
    expect(asked({ ...CALL, params: { ...CALL.params, _meta: { progressToken: 1 } } })).toBeNull();
  });

  test.each([
    ["another request", { ...CALL, method: "tools/list" }, {}],
    ["a notification", { jsonrpc: "2.0", method: "tools/call" }, {}],
    ["several at once", [CALL, CALL], {}],
    ["a client that takes no stream", CALL, { accept: "application/json" }],
    ["a body of another type", CALL, { "content-type": "text/plain" }],
    ["a protocol that nobody speaks", CALL, { "mcp-protocol-version": "1999-01-01" }],
  ])("is left to the SDK where it is %s", (_name, body, headers) => {
    expect(asked(body, headers)).toBeNull();
  });

  test("has its own answer, however many are under way", async () => {
    const conversation = new Conversation({ sessionIdGenerator: () => "s" });
    const [first, second] = [conversation.call(CALL), conversation.call({ ...CALL, id: "7" })];
    expect(conversation.call(CALL)).toBeNull();
    await conversation.send({ ...ANSWER, id: "7" } as JSONRPCMessage);
    await conversation.send(ANSWER);
    expect(await Promise.all([first, second])).toEqual([ANSWER, { ...ANSWER, id: "7" }]);
  });

  test("that its client cancels is not waited for any more", async () => {
    const conversation = new Conversation({ sessionIdGenerator: () => "s" });
    const answer = conversation.call(CALL);
    const parsedBody = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
    const request = new Request("http://127.0.0.1/mcp", { method: "POST", headers: HEADERS });
    await conversation.handleRequest(request, { parsedBody });
    expect(await answer).toBeNull();
  });

  test("is told when its conversation ends before the answer is there", async () => {
    const conversation = new Conversation({ sessionIdGenerator: () => "s" });
    const answer = conversation.call(CALL);
    await conversation.close();
    expect(await answer).toMatchObject({ id: 7, error: { message: expect.stringContaining("closed") } });
  });
});

describe("an answer", () => {
  let server: Server;

  afterEach(() => {
    vi.useRealTimers();
    server.close();
  });

  const serve = (answer: Promise<JSONRPCMessage | null>): Promise<string> => {
    server = createServer((_incoming, outgoing) => void writeAnswer(outgoing, "s", answer));
    return new Promise((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
    );
  };

  test("that comes soon is one JSON body, with its session", async () => {
    const answer = await fetch(await serve(Promise.resolve(ANSWER)));
    expect([answer.headers.get("content-type"), answer.headers.get("mcp-session-id")]).toEqual([
      "application/json",
      "s",
    ]);
    expect(await answer.json()).toEqual(ANSWER);
  });

  test("that nobody wants any more is an empty stream", async () => {
    const answer = await fetch(await serve(Promise.resolve(null)));
    expect([answer.headers.get("content-type"), await answer.text()]).toEqual([
      expect.stringContaining("event-stream"),
      "",
    ]);
  });

  test("that takes long comes on a stream that shows signs of life", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "clearTimeout", "clearInterval"] });
    let settle: (answer: JSONRPCMessage) => void = () => undefined;
    const coming = fetch(
      await serve(
        new Promise((resolve) => {
          settle = resolve;
        }),
      ),
    );
    await vi.waitUntil(() => vi.getTimerCount() > 0);
    vi.advanceTimersByTime(PLAIN_ANSWER_MS + ALIVE_EVERY_MS);
    const answer = await coming;
    settle(ANSWER);
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(await answer.text()).toBe(`: alive\n\nevent: message\ndata: ${JSON.stringify(ANSWER)}\n\n`);
  });
});
