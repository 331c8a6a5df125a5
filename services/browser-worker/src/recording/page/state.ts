import { describe, type ElementFound } from "./element.js";

/** Runs in the page, as text. What the capture script remembers of one window, and how it tells. */

export interface CaptureConfig {
  /** The name of the function that takes what is told. */
  readonly binding: string;
  /** The key under which the window remembers that it is watched. */
  readonly marker: string;
}

export interface Capture {
  document: Document;
  readonly id: string;
  readonly known: WeakMap<Element, { readonly id: number; readonly found: ElementFound }>;
  readonly secrets: WeakSet<Element>;
  readonly tell: (told: Record<string, unknown>) => void;
  readonly handle: (event: Event) => void;
  next: number;
  /** Where the button went down. */
  down: { readonly x: number; readonly y: number; readonly element: Element } | null;
  /** What an Enter in a field of several lines was: known when the field has, or has not, taken it. */
  enter: { readonly element: Element; readonly key: string } | null;
  /** The last gesture was a key, or a drag: the click that comes of it is told already. */
  keyed: boolean;
  dragged: boolean;
}

/** What a field took as a new line is in its value; what it did not take did something else. */
export function settleEnter(capture: Capture, wasPressed: boolean): void {
  const { enter } = capture;
  if (!enter || !wasPressed) return;
  capture.enter = null;
  tellOf(capture, enter.element, { kind: "key", key: enter.key });
}

export function tellOf(capture: Capture, element: Element, told: Record<string, unknown>): void {
  const { id, found } = known(capture, element, told.kind !== "fill");
  capture.tell({ ...told, element: id, found });
}

/** What is known of an element is looked up anew for each gesture, but not for each letter. */
export function known(capture: Capture, element: Element, anew: boolean): { id: number; found: ElementFound } {
  const before = capture.known.get(element);
  if (before && !anew) return before;
  const entry = { id: before?.id ?? capture.next++, found: describe(element) };
  capture.known.set(element, entry);
  return entry;
}
