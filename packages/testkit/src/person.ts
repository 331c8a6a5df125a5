import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestStack } from "./stack.js";
import { until } from "./wait.js";
import { openTextSocket, type TextSocket } from "./websocket.js";

/** Give this to a stack so that a person can be played in its browsers. */
export const PERSON_ENV = { HOLDFAST_CHROMIUM_ARGS: "--remote-debugging-port=0" } as const;

const SOON_MS = 10_000;

/** One page, in a person's hands: real input, by the browser's own debug port, past everything that is Holdfast's. */
export interface PersonPage {
  readonly targetId: string;
  /** Clicks the middle of an element, twice with `times: 2`. */
  readonly click: (selector: string, options?: { readonly times?: number }) => Promise<void>;
  /** Types into what has the focus, letter by letter. */
  readonly type: (text: string) => Promise<void>;
  /** Presses a key: `Enter`, `Escape`, `Tab`, or one letter with modifiers. */
  readonly press: (key: string, modifiers?: { readonly control?: boolean }) => Promise<void>;
  readonly drag: (from: string, to: string) => Promise<void>;
  /** Goes to an address, as by the address bar. */
  readonly goto: (url: string) => Promise<void>;
  readonly reload: () => Promise<void>;
  readonly back: () => Promise<void>;
  readonly crash: () => Promise<void>;
  readonly close: () => Promise<void>;
  /** Looks, and touches nothing. */
  readonly read: <T>(expression: string) => Promise<T>;
  readonly raw: (method: string, params?: Record<string, unknown>) => Promise<Record<string, unknown>>;
}

export interface Person {
  /** The page at an address, as soon as there is one. */
  readonly page: (url: string | ((url: string) => boolean)) => Promise<PersonPage>;
  readonly close: () => void;
}

/** Takes the one browser of a stack in hand. */
export async function personIn(stack: TestStack): Promise<Person> {
  const port = await until(() => portOf(stack), { deadlineMs: SOON_MS, why: "the browser has a debug port" });
  const link = await connect(port);
  return {
    page: async (wanted) => {
      const fits = typeof wanted === "string" ? (url: string) => url === wanted : wanted;
      const targetId = await until(() => targetAt(link, fits), { deadlineMs: SOON_MS, why: `a page is at ${String(wanted)}` });
      const { sessionId } = await link.ask("Target.attachToTarget", { targetId, flatten: true });
      return pageOf(link, targetId, String(sessionId));
    },
    close: link.close,
  };
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

interface Link {
  readonly ask: (
    method: string,
    params?: Record<string, unknown>,
    sessionId?: string,
  ) => Promise<Record<string, unknown>>;
  readonly close: () => void;
}

interface Reply {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

async function connect(port: number): Promise<Link> {
  const version = (await (await fetch(`http://127.0.0.1:${port}/json/version`)).json()) as { webSocketDebuggerUrl: string };
  const asked = new Map<number, { resolve: (result: Record<string, unknown>) => void; reject: (thrown: Error) => void }>();
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

function pageOf(link: Link, targetId: string, sessionId: string): PersonPage {
  const raw = (method: string, params: Record<string, unknown> = {}) => link.ask(method, params, sessionId);
  const read = async <T>(expression: string): Promise<T> => {
    const { result } = await raw("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    return (result as { value: T }).value;
  };
  const middle = (selector: string): Promise<{ x: number; y: number }> =>
    until(() => read<{ x: number; y: number } | null>(middleOf(selector)), {
      deadlineMs: SOON_MS,
      why: `${selector} is on the page`,
    });
  const mouse = (type: string, at: { x: number; y: number }, clickCount = 1) =>
    raw("Input.dispatchMouseEvent", { type, ...at, button: type === "mouseMoved" ? "none" : "left", clickCount });
  return {
    targetId,
    raw,
    read,
    click: async (selector, { times = 1 } = {}) => {
      const at = await middle(selector);
      for (let count = 1; count <= times; count += 1) {
        await mouse("mousePressed", at, count);
        // A window that closes by the click answers nothing any more.
        await mouse("mouseReleased", at, count).catch(() => undefined);
      }
    },
    type: async (text) => {
      for (const letter of text) {
        const key = { key: letter, text: letter, unmodifiedText: letter };
        await raw("Input.dispatchKeyEvent", { type: "keyDown", ...key });
        await raw("Input.dispatchKeyEvent", { type: "keyUp", key: letter });
      }
    },
    press: (key, { control = false } = {}) => press(raw, key, control),
    drag: async (from, to) => {
      const [start, end] = [await middle(from), await middle(to)];
      await mouse("mousePressed", start);
      for (const part of [0.25, 0.5, 0.75, 1]) {
        const at = { x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part };
        await raw("Input.dispatchMouseEvent", { type: "mouseMoved", ...at, button: "left", buttons: 1 });
      }
      await mouse("mouseReleased", end);
    },
    goto: async (url) => void (await raw("Page.navigate", { url })),
    reload: async () => void (await raw("Page.reload")),
    back: async () => {
      const { currentIndex, entries } = await raw("Page.getNavigationHistory");
      const entry = (entries as { id: number }[])[Number(currentIndex) - 1];
      await raw("Page.navigateToHistoryEntry", { entryId: entry?.id });
    },
    // Its own answer never comes.
    crash: async () => void raw("Page.crash").catch(() => undefined),
    close: async () => void (await link.ask("Target.closeTarget", { targetId })),
  };
}

/** Where the element is; null while it is not there, or has no size. */
function middleOf(selector: string): string {
  return `(() => {
    const box = document.querySelector(${JSON.stringify(selector)})?.getBoundingClientRect();
    return box && box.width > 0 ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : null;
  })()`;
}

const CODES: Readonly<Record<string, { readonly code: string; readonly number: number; readonly text?: string }>> = {
  Enter: { code: "Enter", number: 13, text: "\r" },
  Escape: { code: "Escape", number: 27 },
  Tab: { code: "Tab", number: 9 },
  " ": { code: "Space", number: 32, text: " " },
};

async function press(raw: PersonPage["raw"], key: string, control: boolean): Promise<void> {
  const known = CODES[key] ?? { code: `Key${key.toUpperCase()}`, number: key.toUpperCase().charCodeAt(0) };
  const modifiers = control ? 2 : 0;
  const named = { key, code: known.code, windowsVirtualKeyCode: known.number, modifiers };
  const text = known.text === undefined || control ? {} : { text: known.text, unmodifiedText: known.text };
  await raw("Input.dispatchKeyEvent", { type: control ? "rawKeyDown" : "keyDown", ...named, ...text });
  await raw("Input.dispatchKeyEvent", { type: "keyUp", ...named });
}
