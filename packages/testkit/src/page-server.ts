import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { flowPages } from "./pages/flows.js";
import { formPages } from "./pages/forms.js";
import { hangingPages } from "./pages/hanging.js";
import { leavingPages } from "./pages/leaving.js";
import { type Counters, type PageRequest, type Pages, sendPage } from "./pages/page.js";
import { plainPages } from "./pages/plain.js";
import { serverSidePages } from "./pages/server-side.js";
import { windowPages } from "./pages/windows.js";

/** A request as the server saw it. */
export interface RequestSeen {
  readonly method: string;
  readonly path: string;
  readonly url: string;
  /** What the page that it brought is marked with. */
  readonly mark: string;
  readonly userAgent: string;
  readonly at: number;
}

/** Serves the fixture pages on this machine, and says what was asked of it. */
export interface PageServer {
  readonly origin: string;
  /** The same pages as another site. */
  readonly otherOrigin: string;
  readonly url: (path: string) => string;
  /** What a counter stands at: of `POST /hit`, or of the `id` of `/count`. */
  readonly hits: (id?: string) => number;
  /** The log, oldest first. */
  readonly requests: readonly RequestSeen[];
  /** Ends the server, and the answers that would still hang. */
  readonly close: () => Promise<void>;
}

const pages: Pages = {
  ...plainPages,
  ...windowPages,
  ...hangingPages,
  ...formPages,
  ...leavingPages,
  ...serverSidePages,
  ...flowPages,
};

/** The paths there are. */
export const PAGE_PATHS: readonly string[] = Object.keys(pages);

export async function startPageServer(): Promise<PageServer> {
  const requests: RequestSeen[] = [];
  const counters = countersInMemory();
  const server = createServer((incoming, response) => void serve({ incoming, response, counters, requests }));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = portOf(server);
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    otherOrigin: `http://localhost:${port}`,
    url: (path) => new URL(path, origin).href,
    hits: (id = "hit") => counters.get(id),
    requests,
    close: () => closed(server),
  };
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly counters: Counters;
  readonly requests: RequestSeen[];
}

async function serve({ incoming, response, counters, requests }: Exchange): Promise<void> {
  const url = new URL(incoming.url ?? "/", `http://${incoming.headers.host ?? "localhost"}`);
  const name = url.searchParams.get("m") ?? randomBytes(6).toString("hex");
  const request: PageRequest = { incoming, url, counters, mark: `MARK:${url.pathname}:${name}` };
  requests.push({
    method: incoming.method ?? "GET",
    path: url.pathname,
    url: url.href,
    mark: request.mark,
    userAgent: incoming.headers["user-agent"] ?? "",
    at: Date.now(),
  });
  try {
    await answer(request, response);
  } catch (error) {
    // The one who asked must not wait for ever because a fixture is faulty.
    response.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

async function answer(request: PageRequest, response: ServerResponse): Promise<void> {
  const page = pages[request.url.pathname];
  if (page) await page(request, response);
  else sendPage(request, response, { status: 404, body: "<h1>no such fixture</h1>" });
}

function countersInMemory(): Counters {
  const counts = new Map<string, number>();
  const get = (id: string): number => counts.get(id) ?? 0;
  const add = (id: string): number => {
    counts.set(id, get(id) + 1);
    return get(id);
  };
  return { add, get };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The page server has no port.");
  return address.port;
}

async function closed(server: Server): Promise<void> {
  const ended = once(server, "close");
  server.close();
  server.closeAllConnections();
  await ended;
}
