import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Guard } from "./guard.js";
import { forward, type Passage, tunnel } from "./traffic.js";

/** One browser context's way out. */
export interface Way {
  readonly server: string;
  readonly username: string;
  readonly password: string;
  readonly close: () => void;
}

const CREDENTIAL_BYTES = 18;
const ASK = { "proxy-authenticate": 'Basic realm="holdfast"' };

/**
 * A forward proxy on loopback, for the contexts of projects that have rules: all their traffic passes here, also what no
 * debug session is told of (web sockets), and names are resolved here, so that none leads to an address that is denied.
 * It only takes those who know a context's credentials: others on this machine have no use of it.
 */
export class RuleProxy {
  readonly #passages = new Map<string, Passage & { readonly password: string }>();
  #listening: Promise<Server> | null = null;

  /** A way out under a project's rules. */
  async open(guard: Guard): Promise<Way> {
    this.#listening ??= this.#listen();
    const { port } = (await this.#listening).address() as AddressInfo;
    const [username, password] = [secret(), secret()];
    const passage = { guard, password, open: new Set<Duplex>() };
    this.#passages.set(username, passage);
    // What is open may be denied by now: it begins anew, and is looked at again.
    const stop = guard.onChange(() => endAll(passage.open));
    const close = (): void => {
      stop();
      this.#passages.delete(username);
      endAll(passage.open);
    };
    return { server: `http://127.0.0.1:${port}`, username, password, close };
  }

  async close(): Promise<void> {
    const server = await this.#listening;
    server?.close();
    server?.closeAllConnections();
    for (const { open } of this.#passages.values()) endAll(open);
  }

  async #listen(): Promise<Server> {
    // Chromium has read the answers of odd servers for years; a proxy that is stricter would break their pages.
    const server = createServer({ insecureHTTPParser: true }, (request, response) => {
      const passage = this.#passageOf(request);
      if (passage) return forward(passage, request, response);
      response.writeHead(407, ASK).end();
    });
    server.on("connect", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const passage = this.#passageOf(request);
      if (passage) return tunnel(passage, request.url ?? "", { socket: socket as Socket, head });
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="holdfast"\r\n\r\n');
    });
    server.on("clientError", (_error, socket) => socket.destroy());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    server.unref();
    return server;
  }

  #passageOf({ headers }: IncomingMessage): Passage | undefined {
    const [, encoded = ""] = (headers["proxy-authorization"] ?? "").split(" ");
    const [username = "", password = ""] = Buffer.from(encoded, "base64").toString("utf8").split(":");
    const passage = this.#passages.get(username);
    return passage && same(passage.password, password) ? passage : undefined;
  }
}

function secret(): string {
  return randomBytes(CREDENTIAL_BYTES).toString("base64url");
}

function same(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function endAll(open: ReadonlySet<Duplex>): void {
  for (const socket of open) socket.destroy();
}
