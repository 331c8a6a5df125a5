import type { ElementLocator, ElementSeen } from "@holdfast/protocol";

/** An element as it is read when a locator has found it. */
export interface ElementNow {
  readonly tag: string;
  readonly text: string;
}

/**
 * Whether what a locator found can be what was recorded. A name that somebody gave it says so by itself; a place in the page, or
 * an id, does not: there must be the same kind of element, and by a place alone with the same text.
 */
export function fits(locator: ElementLocator, recorded: ElementSeen | undefined, now: ElementNow): boolean {
  if (!recorded || locator.by !== "css") return true;
  if (recorded.tag !== now.tag) return false;
  const byPlace = /[ >]/.test(locator.value) && !locator.value.startsWith("[");
  return !byPlace || recorded.text === "" || recorded.text === now.text;
}
