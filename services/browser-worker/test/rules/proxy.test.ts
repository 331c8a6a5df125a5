import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Guard } from "../../src/rules/guard.js";
import { RuleProxy, type Way } from "../../src/rules/proxy.js";

const none = { allow: [], deny: [] };
const heard: string[] = [];
const proxy = new RuleProxy();
let site: Server;
let port: number;

beforeAll(async () => {
  site = createServer((incoming, response) => {
    heard.push(
      `${incoming.method} ${incoming.headers.host}${incoming.url} ${incoming.headers["proxy-authorization"] ?? "-"}`,
    );
    response.writeHead(200, { "x-own": "yes" }).end("reached");
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  port = (site.address() as AddressInfo).port;
});
afterAll(async () => {
  await proxy.close();
  site.close();
  site.closeAllConnections();
});

function guardOf(deny: readonly string[]): Guard {
  const guard = new Guard(none, { ownerOf: () => undefined, tell: () => undefined });
  guard.set({ allow: [], deny: [...deny] });
  return guard;
}

const credentials = ({ username, password }: Way): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
const place = ({ server }: Way) => ({ host: "127.0.0.1", port: Number(new URL(server).port) });

/** The status of a request for a whole address, and what came. */
async function ask(way: Way, address: string, authorization = credentials(way)): Promise<[number | undefined, string]> {
  const headers = { "proxy-authorization": authorization, host: new URL(address).host };
  const sent = request({ ...place(way), path: address, headers });
  sent.end();
  const [answer] = (await once(sent, "response")) as [import("node:http").IncomingMessage];
  let text = "";
  for await (const chunk of answer) text += String(chunk);
  return [answer.statusCode, text];
}

/** What comes back of a tunnel, until it ends. */
async function through(way: Way, authority: string, first: string, authorization = credentials(way)): Promise<string> {
  const socket = connect(place(way));
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nProxy-Authorization: ${authorization}\r\n\r\n`);
  let text = "";
  socket.on("data", (data) => {
    if (text === "" && data.toString().startsWith("HTTP/1.1 200")) socket.write(first);
    text += data.toString("latin1");
  });
  socket.on("error", () => socket.destroy());
  await once(socket, "close");
  return text;
}

describe("the proxy", () => {
  test("passes on what no rule forbids, without its own headers", async () => {
    const way = await proxy.open(guardOf(["other.example"]));
    expect(await ask(way, `http://127.0.0.1:${port}/a?b`)).toEqual([200, "reached"]);
    const get = `GET /socket HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    expect(await through(way, `127.0.0.1:${port}`, get)).toContain("reached");
    expect(heard.splice(0)).toEqual([`GET 127.0.0.1:${port}/a?b -`, "GET x/socket -"]);
  });

  test("takes nobody without a context's own credentials", async () => {
    const [way, other] = [await proxy.open(guardOf([])), await proxy.open(guardOf([]))];
    const wrong = `Basic ${Buffer.from(`${way.username}:${other.password}`).toString("base64")}`;
    for (const authorization of ["", "Basic eA==", wrong]) {
      expect((await ask(way, `http://127.0.0.1:${port}/`, authorization))[0]).toBe(407);
      expect(await through(way, `127.0.0.1:${port}`, "x", authorization)).toMatch(/^HTTP\/1.1 407/);
    }
    way.close();
    expect((await ask(way, `http://127.0.0.1:${port}/`))[0]).toBe(407);
    expect(heard).toEqual([]);
  });

  test("answers what is denied with nothing to show, and tells it", async () => {
    const guard = guardOf([`127.0.0.1:${port}/no`, "denied.example"]);
    const way = await proxy.open(guard);
    expect(await ask(way, `http://127.0.0.1:${port}/no/more`)).toEqual([204, ""]);
    expect(await through(way, `127.0.0.1:${port}`, "GET /no HTTP/1.1\r\n\r\n")).toMatch(
      /^HTTP\/1.1 200[\s\S]*\r\n\r\n$/,
    );
    expect(await through(way, "denied.example:443", "")).toMatch(/^HTTP\/1.1 403/);
    expect(guard.denials.since(0).map(({ url, rule }) => [url, rule])).toEqual([
      [`http://127.0.0.1:${port}/no/more`, `project denies 127.0.0.1:${port}/no`],
      [`http://127.0.0.1:${port}/no`, `project denies 127.0.0.1:${port}/no`],
      ["https://denied.example/", "project denies denied.example"],
    ]);
    expect(heard).toEqual([]);
  });

  test("a name does not lead to an address that is denied", async () => {
    const way = await proxy.open(guardOf(["127.0.0.1", "[::1]"]));
    expect(await ask(way, `http://localhost:${port}/`)).toEqual([204, ""]);
    for (const first of ["GET / HTTP/1.1\r\n\r\n", "\u0016\u0003\u0001"]) {
      expect(await through(way, `localhost:${port}`, first)).toMatch(/^HTTP\/1.1 200[\s\S]*\r\n\r\n$/);
    }
    expect(heard).toEqual([]);
  });

  test("a rule that comes later ends what is open", async () => {
    const guard = guardOf([]);
    const way = await proxy.open(guard);
    const socket = connect(place(way));
    socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nProxy-Authorization: ${credentials(way)}\r\n\r\n`);
    await once(socket, "data");
    socket.write("GET /open HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "data");
    guard.set({ allow: [], deny: ["127.0.0.1"] });
    await once(socket, "close");
    expect(await ask(way, `http://127.0.0.1:${port}/`)).toEqual([204, ""]);
    expect(heard.splice(0)).toEqual(["GET x/open -"]);
  });

  test("an address that cannot be reached breaks off, and the next is served", async () => {
    const way = await proxy.open(guardOf([]));
    await expect(ask(way, "http://127.0.0.1:1/")).rejects.toThrow();
    expect((await ask(way, `http://127.0.0.1:${port}/`))[0]).toBe(200);
    heard.splice(0);
  });
});
