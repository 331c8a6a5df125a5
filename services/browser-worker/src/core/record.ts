import type { ElementLocator, RecordedStep } from "@holdfast/protocol";

/** A step with what tells its element from others of the same document; null for a step without an element. */
export interface Noted {
  readonly step: RecordedStep;
  readonly element: string | null;
}

/** How far back a step may still change: a double click takes back the two clicks that it was told as before. */
export const SETTLED_AFTER = 3;

/** Adds what was told last: letters become the field's value, clicks a double click, and a change of tab is marked. */
export function appended(notes: readonly Noted[], next: Noted): readonly Noted[] {
  const { action } = next.step;
  if (action.do === "fill") return filled(notes, next);
  if (action.do === "click" && action.double) return doubled(notes, next);
  return [...notes, ...switched(notes, next), next];
}

/** The value that a field has in the end, told when it was begun. */
function filled(notes: readonly Noted[], next: Noted): readonly Noted[] {
  const last = notes.at(-1);
  if (!last || !sameElement(last, next) || last.step.action.do !== "fill")
    return [...notes, ...switched(notes, next), next];
  return [...notes.slice(0, -1), { ...next, step: { ...next.step, at: last.step.at } }];
}

/** Two clicks at the most make the double click that is told after them. */
function doubled(notes: readonly Noted[], next: Noted): readonly Noted[] {
  let kept = notes;
  for (let taken = 0; taken < 2; taken += 1) {
    const last = kept.at(-1);
    const click = last?.step.action;
    if (!last || !sameElement(last, next) || click?.do !== "click" || click.double) break;
    kept = kept.slice(0, -1);
  }
  return [...kept, ...switched(kept, next), next];
}

function sameElement(a: Noted, b: Noted): boolean {
  return (
    a.element !== null && a.element === b.element && a.step.cause === b.step.cause && a.step.tabId === b.step.tabId
  );
}

/** What happens to a tab by itself is no sign that somebody went there. */
const OF_ITSELF: readonly string[] = ["tab_opened", "tab_closed", "tab_switched", "dialog"];

function isDone({ step: { action } }: Noted): boolean {
  if (action.do === "navigate") return action.how !== "page";
  return !OF_ITSELF.includes(action.do);
}

/** The mark between what was done in one tab and in another. */
function switched(notes: readonly Noted[], next: Noted): Noted[] {
  if (!isDone(next)) return [];
  const from = notes.findLast(isDone)?.step.tabId;
  if (from === undefined || from === next.step.tabId) return [];
  const { at, tabId, cause } = next.step;
  return [{ element: null, step: { at, tabId, cause, action: { do: "tab_switched", from } } }];
}

const RANKS = ["testId", "role", "label", "placeholder", "text", "css"] as const;

/** Looks like a name that a program made up: it will be another one next time. */
const MADE_UP = /\d{4,}|:r[0-9a-z]+:|[0-9a-f]{8,}|^ember\d|__/i;

/** The locators of an element, best to worst, each once. */
export function ranked(found: readonly ElementLocator[]): ElementLocator[] {
  const scored = found
    .filter(isUseful)
    .map((locator, place) => ({ locator, score: scoreOf(locator) * 100 + place, key: JSON.stringify(locator) }));
  const once = scored.filter(({ key }, place) => scored.findIndex((other) => other.key === key) === place);
  return once.sort((a, b) => a.score - b.score).map(({ locator }) => locator);
}

function isUseful(locator: ElementLocator): boolean {
  return locator.by === "role" ? locator.role !== "" && locator.name !== "" : locator.value !== "";
}

function scoreOf(locator: ElementLocator): number {
  const rank = RANKS.indexOf(locator.by);
  if (locator.by === "role") return rank;
  if (locator.by === "testId") return MADE_UP.test(locator.value) ? RANKS.length : rank;
  if (locator.by !== "css") return rank;
  // A data attribute is put there to be found by; an id of a program's making, or a way by places, is the last resort.
  if (/^\[data-/.test(locator.value)) return 0;
  return /[ >]/.test(locator.value) || MADE_UP.test(locator.value) ? RANKS.length + 1 : rank;
}
