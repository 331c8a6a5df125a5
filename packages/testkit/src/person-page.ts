import { until } from "./wait.js";

const SOON_MS = 10_000;

/** Asks the browser by its debug port; with a session, one page of it. */
export interface Link {
  readonly ask: (
    method: string,
    params?: Record<string, unknown>,
    sessionId?: string,
  ) => Promise<Record<string, unknown>>;
  readonly close: () => void;
}

/** One page, in a person's hands: real input, by the browser's own debug port, past everything that is Holdfast's. */
export interface PersonPage {
  readonly targetId: string;
  readonly sessionId: string;
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

/** Where elements are looked for when that is not the page itself. */
interface Inside {
  readonly sessionId: string;
  readonly offset: () => Promise<{ x: number; y: number }>;
}

type Point = { readonly x: number; readonly y: number };
type Raw = PersonPage["raw"];

export function pageOf(
  link: Link,
  { targetId, sessionId }: Pick<PersonPage, "targetId" | "sessionId">,
  inside?: Inside,
): PersonPage {
  const raw: Raw = (method, params = {}) => link.ask(method, params, sessionId);
  const read = async <T>(expression: string): Promise<T> => {
    const asked = { expression, returnByValue: true, awaitPromise: true };
    const { result } = await link.ask("Runtime.evaluate", asked, inside?.sessionId ?? sessionId);
    return (result as { value: T }).value;
  };
  const middle = async (selector: string): Promise<Point> => {
    const look = { deadlineMs: SOON_MS, why: `${selector} is on the page` };
    const at = await until(() => read<Point | null>(middleOf(selector)), look);
    const { x, y } = (await inside?.offset()) ?? { x: 0, y: 0 };
    return { x: at.x + x, y: at.y + y };
  };
  return {
    targetId,
    sessionId,
    raw,
    read,
    ...mouseOf(raw, middle),
    ...keyboardOf(raw),
    ...wayOf(raw),
    close: async () => void (await link.ask("Target.closeTarget", { targetId })),
  };
}

function mouseOf(raw: Raw, middle: (selector: string) => Promise<Point>): Pick<PersonPage, "click" | "drag"> {
  const mouse = (type: string, at: Point, clickCount = 1) =>
    raw("Input.dispatchMouseEvent", {
      type,
      ...at,
      button: "left",
      buttons: type === "mouseMoved" ? 1 : 0,
      clickCount,
    });
  return {
    click: async (selector, { times = 1 } = {}) => {
      const at = await middle(selector);
      for (let count = 1; count <= times; count += 1) {
        await mouse("mousePressed", at, count);
        // A window that closes by the click answers nothing any more.
        await mouse("mouseReleased", at, count).catch(() => undefined);
      }
    },
    drag: async (from, to) => {
      const [start, end] = [await middle(from), await middle(to)];
      await mouse("mousePressed", start);
      for (const part of [0.25, 0.5, 0.75, 1]) {
        await mouse("mouseMoved", { x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part });
      }
      await mouse("mouseReleased", end);
    },
  };
}

function keyboardOf(raw: Raw): Pick<PersonPage, "type" | "press"> {
  return {
    type: async (text) => {
      for (const letter of text) {
        await raw("Input.dispatchKeyEvent", { type: "keyDown", key: letter, text: letter, unmodifiedText: letter });
        await raw("Input.dispatchKeyEvent", { type: "keyUp", key: letter });
      }
    },
    press: (key, { control = false } = {}) => press(raw, key, control),
  };
}

function wayOf(raw: Raw): Pick<PersonPage, "goto" | "reload" | "back" | "crash"> {
  return {
    goto: async (url) => void (await raw("Page.navigate", { url })),
    reload: async () => void (await raw("Page.reload")),
    back: async () => {
      const { currentIndex, entries } = await raw("Page.getNavigationHistory");
      const entry = (entries as { id: number }[])[Number(currentIndex) - 1];
      await raw("Page.navigateToHistoryEntry", { entryId: entry?.id });
    },
    // Its own answer never comes.
    crash: async () => void raw("Page.crash").catch(() => undefined),
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
  ArrowDown: { code: "ArrowDown", number: 40 },
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
