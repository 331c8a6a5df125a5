import type { TabState } from "@holdfast/protocol";

/** What can happen to a tab. */
export type TabEvent = "load" | "loaded" | "sleep" | "crash" | "close";

/**
 * loading   it has a page whose document is not there yet.
 * ready     it has a page with a document.
 * sleeping  it has no page; its address is kept, and it wakes on use.
 * crashed   its page's process died; a navigation gives it a new one.
 * closed    it is gone for good. Nothing leads out, and its id is never given again.
 */
const LIFE: { readonly [S in TabState]: { readonly [E in TabEvent]: TabState } } = {
  loading: { load: "loading", loaded: "ready", sleep: "sleeping", crash: "crashed", close: "closed" },
  ready: { load: "loading", loaded: "ready", sleep: "sleeping", crash: "crashed", close: "closed" },
  sleeping: { load: "loading", loaded: "sleeping", sleep: "sleeping", crash: "sleeping", close: "closed" },
  crashed: { load: "loading", loaded: "crashed", sleep: "sleeping", crash: "crashed", close: "closed" },
  closed: { load: "closed", loaded: "closed", sleep: "closed", crash: "closed", close: "closed" },
};

export function nextTabState(state: TabState, event: TabEvent): TabState {
  return LIFE[state][event];
}
