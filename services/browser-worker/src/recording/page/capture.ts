import { fieldOf } from "./fields.js";
import { clicked, dragged, pressed, released } from "./pointer.js";
import { type Capture, type CaptureConfig, settleEnter } from "./state.js";
import { changed, keyDown, typed } from "./typing.js";

/** Runs in the page, as text: tells of each thing that a person does, at once, and changes nothing of the page. */

export function kindsHeard(): string[] {
  const pointer = ["pointerdown", "pointerup", "click", "auxclick", "dblclick", "dragstart", "drop"];
  return [...pointer, "input", "change", "keydown", "keyup", "pagehide"];
}

export function listen(capture: Capture): void {
  // Adding the same listener again adds nothing.
  for (const kind of kindsHeard()) window.addEventListener(kind, capture.handle, { capture: true, passive: true });
}

export function deaf(capture: Capture): void {
  for (const kind of kindsHeard()) window.removeEventListener(kind, capture.handle, { capture: true });
}

/** Begins in this document, once. `there`: it was told of before. */
export function begin(config: CaptureConfig, how: "new" | "open"): "begun" | "there" | "no_binding" {
  const marker = Symbol.for(config.marker);
  const holder = window as unknown as Record<symbol | string, unknown>;
  const before = holder[marker] as Capture | undefined;
  if (before) return beginAgain(before);
  const binding = holder[config.binding];
  if (typeof binding !== "function") return "no_binding";
  // The page's own script never sees it.
  delete holder[config.binding];
  const capture = made(binding as (text: string) => unknown);
  Object.defineProperty(holder, marker, { value: capture, configurable: true });
  listen(capture);
  watchRoot(capture);
  capture.tell({ kind: "here", how, top: window === window.top });
  return "begun";
}

/** The first, empty document of a window may leave the window to the next one, with all that listens to it. */
export function beginAgain(capture: Capture): "begun" | "there" {
  listen(capture);
  if (capture.document === document) return "there";
  capture.document = document;
  watchRoot(capture);
  capture.tell({ kind: "here", how: "new", top: window === window.top });
  return "begun";
}

export function made(binding: (text: string) => unknown): Capture {
  const id = Math.random().toString(36).slice(2, 12);
  const capture: Capture = {
    document,
    id,
    known: new WeakMap(),
    secrets: new WeakSet(),
    tell: (told) => {
      const sent = binding(JSON.stringify({ ...told, at: Date.now(), document: id }));
      // Nobody may be listening any more, and that is no concern of the page.
      if (sent instanceof Promise) sent.catch(() => deaf(capture));
    },
    handle: (event) => heard(capture, event),
    next: 1,
    down: null,
    enter: null,
    keyed: false,
    dragged: false,
  };
  return capture;
}

/** `document.open` takes every listener away, and puts a new root in place: then we listen again. */
export function watchRoot(capture: Capture): void {
  let root = document.documentElement;
  const look = (): void => {
    if (document.documentElement === root) return;
    const first = root === null;
    root = document.documentElement;
    listen(capture);
    if (!first && root) capture.tell({ kind: "again" });
  };
  new MutationObserver(look).observe(document, { childList: true });
}

/** Ends in this document. */
export function end(config: CaptureConfig): void {
  const marker = Symbol.for(config.marker);
  const holder = window as unknown as Record<symbol, Capture | undefined>;
  const capture = holder[marker];
  if (capture) deaf(capture);
  delete holder[marker];
}

/** Nothing that goes wrong here may reach the page. */
export function heard(capture: Capture, event: Event): void {
  try {
    const element = event.composedPath()[0];
    if (event.type === "pagehide") settleEnter(capture, true);
    else if (element instanceof Element && isMeant(event, element)) noted(capture, event, element);
  } catch (thrown) {
    capture.tell({ kind: "fault", message: String(thrown).slice(0, 500) });
  }
}

/** Script can make an event look like anything but one of a person; a tool that chooses an option has no other way. */
export function isMeant(event: Event, element: Element): boolean {
  return event.isTrusted || (event.type === "change" && element.localName === "select");
}

export function noted(capture: Capture, event: Event, element: Element): void {
  const { type } = event;
  const typing = type === "keydown" || type === "keyup" || type === "input";
  if (!typing) settleEnter(capture, true);
  if (type === "keydown") keyDown(capture, event as KeyboardEvent, element);
  else if (type === "keyup") settleEnter(capture, (event as KeyboardEvent).key === "Enter");
  else if (type === "input") typed(capture, event as InputEvent, fieldOf(element));
  else if (type === "change") changed(capture, element);
  else if (type === "pointerdown" || type === "dragstart") pressed(capture, event as PointerEvent, element);
  else if (type === "pointerup") released(capture, event as PointerEvent, element);
  else if (type === "drop") dragged(capture, event as DragEvent, element);
  else clicked(capture, event as MouseEvent, element);
}
