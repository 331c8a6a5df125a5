import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Link, type PersonPage, pageOf } from "./person-page.js";
import type { TestStack } from "./stack.js";
import { until } from "./wait.js";
import { openTextSocket, type TextSocket } from "./websocket.js";

/** Give this to a stack so that a person can be played in its browsers. */
export const PERSON_ENV = { HOLDFAST_CHROMIUM_ARGS: "--remote-debugging-port=0" } as const;

const SOON_MS = 10_000;

export type { PersonPage } from "./person-page.js";

export interface Person {
  /** The page at an address, as soon as there is one. */
  readonly page: (url: string | ((url: string) => boolean)) => Promise<PersonPage>;
  /** A frame of a page, wherever it is served: real input goes through the page, as it does with a person. */
  readonly frame: (page: PersonPage, url: string) => Promise<PersonPage>;
  readonly close: () => void;
}

/** Takes the one browser of a stack in hand. */
export async function personIn(stack: TestStack): Promise<Person> {
  return personAt(await until(() => portOf(stack), { deadlineMs: SOON_MS, why: "the browser has a debug port" }));
}

/** Takes the browser at a debug port of loopback in hand. */
export async function personAt(port: number): Promise<Person> {
  const link = await connect(port);
  return {
    page: async (wanted) => {
      const fits = typeof wanted === "string" ? (url: string) => url === wanted : wanted;
      const targetId = await until(() => targetAt(link, fits), {
        deadlineMs: SOON_MS,
        why: `a page is at ${String(wanted)}`,
      });
      const { sessionId } = await link.ask("Target.attachToTarget", { targetId, flatten: true });
      return pageOf(link, { targetId, sessionId: String(sessionId) });
    },
    frame: (page, url) => frameIn(link, page, url),
    close: link.close,
  };
}

/** A frame's elements are looked for where they are, in its own process or in the page's; the mouse is the page's. */
async function frameIn(link: Link, page: PersonPage, url: string): Promise<PersonPage> {
  const own = await until(
    async () => {
      const { targetInfos } = await link.ask("Target.getTargets");
      const all = targetInfos as { targetId: string; type: string; url: string }[];
      return all.find((target) => target.type === "iframe" && target.url === url)?.targetId ?? "same process";
    },
    { deadlineMs: SOON_MS, why: `the frame ${url} is there` },
  );
  const offset = `(() => {
    const frame = [...document.querySelectorAll("iframe")].find((one) => one.src === ${JSON.stringify(url)});
    const box = frame.getBoundingClientRect();
    return { x: box.x + frame.clientLeft, y: box.y + frame.clientTop };
  })()`;
  if (own === "same process") throw new Error(`The frame ${url} has no process of its own: look for it in the page.`);
  const { sessionId } = await link.ask("Target.attachToTarget", { targetId: own, flatten: true });
  return pageOf(
    link,
    { targetId: page.targetId, sessionId: page.sessionId },
    {
      sessionId: String(sessionId),
      offset: () => page.read<{ x: number; y: number }>(offset),
    },
  );
}

/** Chromium writes its port into the folder of its profile, which its command line names. */
function portOf(stack: TestStack): number | null {
  for (const { command } of stack.processes()) {
    const folder = /--user-data-dir=(\S+)/.exec(command)?.[1];
    if (folder === undefined || command.includes("--type=")) continue;
    try {
      const [port] = readFileSync(join(folder, "DevToolsActivePort"), "utf8").split("\n");
      if (port) return Number(port);
    } catch {
      // It is written a moment after the start.
      return null;
    }
  }
  return null;
}

interface Reply {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

async function connect(port: number): Promise<Link> {
  const version = (await (await fetch(`http://127.0.0.1:${port}/json/version`)).json()) as {
    webSocketDebuggerUrl: string;
  };
  const asked = new Map<
    number,
    { resolve: (result: Record<string, unknown>) => void; reject: (thrown: Error) => void }
  >();
  let next = 1;
  const socket: TextSocket = await openTextSocket(version.webSocketDebuggerUrl, (text) => {
    const reply = JSON.parse(text) as Reply;
    const waiting = reply.id === undefined ? undefined : asked.get(reply.id);
    if (!waiting || reply.id === undefined) return;
    asked.delete(reply.id);
    if (reply.error) waiting.reject(new Error(reply.error.message));
    else waiting.resolve(reply.result ?? {});
  });
  return {
    ask: (method, params = {}, sessionId) =>
      new Promise((resolve, reject) => {
        const id = next++;
        asked.set(id, { resolve, reject });
        socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
      }),
    close: socket.close,
  };
}

async function targetAt(link: Link, fits: (url: string) => boolean): Promise<string | null> {
  const { targetInfos } = await link.ask("Target.getTargets");
  const all = targetInfos as { targetId: string; type: string; url: string }[];
  return all.find(({ type, url }) => type === "page" && fits(url))?.targetId ?? null;
}
