import { lookup as resolve } from "node:dns";
import { request as ask, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ruleAgainstAddress, ruleAgainstHost } from "../core/url-rules.js";
import type { Guard } from "./guard.js";
import { GREETING_HOST } from "./interceptor.js";

/** One context's traffic: under whose rules, and what is open. */
export interface Passage {
  readonly guard: Guard;
  readonly open: Set<Duplex>;
}

/** Headers of the way to the proxy, which are none of the site's business. */
const OF_THE_WAY = new Set(["proxy-authorization", "proxy-connection", "connection", "keep-alive"]);
/** A handshake of TLS begins with this byte. */
const TLS_HANDSHAKE = 0x16;
const FIRST_LINE = /^[A-Z]+ (\/\S*) HTTP\/1\.[01]\r?\n/;

/**
 * A request for a plain http address, with the whole address known. What is denied gets an answer without content: to that
 * a browser leaves the page that is there in its place.
 */
export function forward(passage: Passage, request: IncomingMessage, response: ServerResponse): void {
  const { guard } = passage;
  const address = request.url ?? "";
  if (!URL.canParse(address)) return void response.writeHead(400).end();
  const url = new URL(address);
  if (url.hostname === GREETING_HOST) return void response.writeHead(204).end();
  const document = request.headers["upgrade-insecure-requests"] === "1";
  const denied = (rule: string): void => {
    guard.deny({ url: address, rule, kind: document ? "document" : "other", tabId: null });
    response.writeHead(204).end();
  };
  const rule = guard.ruleAgainst(address);
  if (rule !== null) {
    denied(rule);
    return;
  }
  const lookup = checkedLookup(passage, { scheme: "http", host: url.hostname, port: url.port || "80" });
  const sent = ask(url, { method: request.method ?? "GET", headers: passedOn(request.rawHeaders), lookup });
  sent.on("socket", (socket) => keep(passage, socket));
  sent.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passedOn(answer.rawHeaders));
    answer.pipe(response);
    answer.on("error", () => response.destroy());
  });
  // A site that cannot be reached is told as one that broke off: the browser has its own words for that.
  sent.on("error", (thrown) => (thrown instanceof Denied ? denied(thrown.rule) : response.destroy()));
  response.on("close", () => sent.destroy());
  request.pipe(sent);
}

interface Ends {
  readonly socket: Socket;
  readonly head: Buffer;
}

/** A tunnel, for https and for web sockets of either kind: which of them it is tells its first byte. */
export function tunnel(passage: Passage, authority: string, { socket, head }: Ends): void {
  const url = new URL(`https://${authority}/`);
  const place = { host: url.hostname, port: url.port || "443" };
  socket.on("error", () => socket.destroy());
  const rules = (["https", "http"] as const).map((scheme) =>
    ruleAgainstHost(passage.guard.rules, { scheme, ...place }),
  );
  const [rule, other] = rules;
  if (rule && other) {
    passage.guard.deny({ url: url.href, rule, kind: "other", tabId: null });
    return void socket.end("HTTP/1.1 403 Denied\r\nContent-Length: 0\r\n\r\n");
  }
  keep(passage, socket);
  socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  const begin = (first: Buffer): void => open(passage, { ...place, first, socket });
  if (head.length > 0) begin(head);
  else socket.once("data", begin);
}

function open(passage: Passage, to: { host: string; port: string; first: Buffer; socket: Socket }): void {
  const { host, port, first, socket } = to;
  const scheme = first[0] === TLS_HANDSHAKE ? "https" : "http";
  const [, path = "/"] = FIRST_LINE.exec(first.toString("latin1")) ?? [];
  const url = `${scheme}://${host}:${port}${scheme === "http" ? path : "/"}`;
  const denied = (rule: string): void => {
    passage.guard.deny({ url, rule, kind: "other", tabId: null });
    socket.destroy();
  };
  const place = { scheme, host, port };
  const rule = scheme === "http" ? passage.guard.ruleAgainst(url) : ruleAgainstHost(passage.guard.rules, place);
  if (rule !== null) {
    denied(rule);
    return;
  }
  socket.pause();
  const site = connect({ host: bare(host), port: Number(port), lookup: checkedLookup(passage, place) });
  keep(passage, site);
  site.on("connect", () => {
    site.write(first);
    socket.pipe(site).pipe(socket);
  });
  site.on("error", (thrown) => (thrown instanceof Denied ? denied(thrown.rule) : socket.destroy()));
  socket.on("close", () => site.destroy());
}

/** A name that was allowed leads to an address that is not. */
class Denied extends Error {
  override readonly name = "Denied";
  readonly rule: string;

  constructor(rule: string) {
    super(rule);
    this.rule = rule;
  }
}

/** Resolves a name once, judges what it stands for, and has the connection made to exactly that. */
function checkedLookup({ guard }: Passage, place: Parameters<typeof ruleAgainstHost>[1]): LookupFunction {
  return (name, options, done) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, []);
      const rules = addresses.map(({ address }) => ruleAgainstAddress(guard.rules, address, place));
      const rule = isIP(bare(place.host)) === 0 ? rules.find((one) => one !== null) : undefined;
      if (rule) return done(new Denied(rule), []);
      const [first] = addresses;
      if (options.all || !first) return done(null, addresses);
      return done(null, first.address, first.family);
    });
  };
}

function keep({ open: kept }: Passage, socket: Duplex): void {
  kept.add(socket);
  socket.once("close", () => kept.delete(socket));
}

function passedOn(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_text, at) => !OF_THE_WAY.has((rawHeaders[at - (at % 2)] ?? "").toLowerCase()));
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}
