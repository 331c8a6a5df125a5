import type { Bucket } from "@holdfast/bus";
import { z } from "zod";
import { Conversation } from "./conversation.js";
import { SESSIONS_MAX } from "./limits.js";
import type { Endpoint } from "./relay.js";
import type { buildServer } from "./server.js";

/** A conversation of the older protocol as it is kept: enough to take it up again after a restart. */
export const sessionRecord = z.object({
  initialize: z.unknown(),
  project: z.string().nullable(),
  structured: z.boolean(),
});
export type SessionRecord = z.infer<typeof sessionRecord>;

/**
 * The conversations of clients that speak a protocol with sessions (before 2026-07-28).
 * A session that this process does not know but the store does is taken up again, so that clients live through a restart of ours.
 */
export class Sessions {
  readonly #store: Bucket<SessionRecord>;
  readonly #build: (endpoint: Endpoint) => ReturnType<typeof buildServer>;
  readonly #open = new Map<string, Conversation>();
  /** Two who come at once with a session that is not known here yet are given the same one. */
  readonly #takingUp = new Map<string, Promise<Conversation | null>>();

  constructor(store: Bucket<SessionRecord>, build: (endpoint: Endpoint) => ReturnType<typeof buildServer>) {
    this.#store = store;
    this.#build = build;
  }

  /** The conversation of that id, if it is open here. */
  find(sessionId: string): Conversation | undefined {
    const found = this.#open.get(sessionId);
    if (!found) return undefined;
    // The one asked last stands last, so that room is made by the longest silent.
    this.#open.delete(sessionId);
    this.#open.set(sessionId, found);
    return found;
  }

  async handle(request: Request, body: unknown, endpoint: Endpoint): Promise<Response> {
    const sessionId = request.headers.get("mcp-session-id");
    if (!sessionId) return this.#begin(request, body, endpoint);
    const transport = this.find(sessionId) ?? (await this.#takenUp(request, sessionId));
    if (!transport) return notFound();
    return transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
  }

  giveUpAll(): void {
    for (const conversation of this.#open.values()) conversation.giveUp();
  }

  async closeAll(): Promise<void> {
    await Promise.allSettled([...this.#open.values()].map((transport) => transport.close()));
  }

  async #begin(request: Request, body: unknown, endpoint: Endpoint): Promise<Response> {
    const transport = await this.#connect(endpoint, crypto.randomUUID(), async (sessionId) => {
      await this.#store.create(sessionId, { initialize: body, ...endpoint });
    });
    return transport.handleRequest(request, { parsedBody: body });
  }

  async #connect(
    endpoint: Endpoint,
    id: string,
    began: (sessionId: string) => void | Promise<void>,
  ): Promise<Conversation> {
    const transport = new Conversation({
      sessionIdGenerator: () => id,
      onsessioninitialized: async (sessionId) => {
        this.#makeRoom();
        this.#open.set(sessionId, transport);
        await began(sessionId);
      },
      onsessionclosed: async (sessionId) => {
        this.#open.delete(sessionId);
        await this.#store.remove(sessionId);
      },
    });
    await this.#build(endpoint).connect(transport);
    return transport;
  }

  #takenUp(request: Request, sessionId: string): Promise<Conversation | null> {
    const taking =
      this.#takingUp.get(sessionId) ?? this.#takeUp(request, sessionId).finally(() => this.#takingUp.delete(sessionId));
    this.#takingUp.set(sessionId, taking);
    return taking;
  }

  /** Plays the opening of the conversation to a new server, which then knows what the old one knew. */
  async #takeUp(request: Request, sessionId: string): Promise<Conversation | null> {
    if (!z.uuid().safeParse(sessionId).success) return null;
    const record = await this.#store.get(sessionId);
    if (!record) return null;
    const { initialize, project, structured } = record.value;
    // Written anew, it is kept for another week.
    await this.#store.update(sessionId, record.value, record.revision);
    const transport = await this.#connect({ project, structured }, sessionId, () => undefined);
    const play = (message: unknown, headers: Record<string, string>): Promise<Response> =>
      transport.handleRequest(
        new Request(request.url, { method: "POST", headers: { ...OPENING_HEADERS, ...headers } }),
        { parsedBody: message },
      );
    await (await play(initialize, {})).text();
    await play({ jsonrpc: "2.0", method: "notifications/initialized" }, { "mcp-session-id": sessionId });
    return transport;
  }

  #makeRoom(): void {
    if (this.#open.size < SESSIONS_MAX) return;
    const [oldest] = this.#open;
    if (!oldest) return;
    this.#open.delete(oldest[0]);
    // Its record is kept: if it speaks again, it is taken up again.
    void oldest[1].close();
  }
}

const OPENING_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

function notFound(): Response {
  const error = { code: -32_001, message: "There is no such session: begin a new one with initialize." };
  return Response.json({ jsonrpc: "2.0", error, id: null }, { status: 404 });
}
