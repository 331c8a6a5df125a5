import {
  type ElementTarget,
  MAIN_TAB,
  type Program,
  type ProgramStep,
  type RecordedAction,
  type RecordedStep,
  type RecordingHeader,
  type TypedValue,
} from "@holdfast/protocol";

/** ms within which a step back in a tab's history is the page's own answer to what was done in it. */
const OWN_HISTORY_MS = 1_000;

type Param = Program["params"][number];
type Secret = Program["secrets"][number];

/** What is gathered on the way through a recording. */
interface Draft {
  readonly steps: ProgramStep[];
  readonly params: Param[];
  readonly secrets: Secret[];
  /** Tab ids to the program's names. */
  readonly tabs: Map<string, string>;
  /** Where each tab was when the recording began. */
  readonly begun: ReadonlyMap<string, string>;
  /** The last step of each tab, by its place; and when it was. */
  readonly last: Map<string, { readonly place: number; readonly at: number }>;
}

/**
 * Makes a program of a recording. What was typed becomes parameters with the typed values as defaults; what was typed into a
 * secret field becomes secrets that have to be given. What a page did by itself is left to the page.
 */
export function programFrom(header: RecordingHeader, recorded: readonly RecordedStep[]): Program {
  const draft: Draft = {
    steps: [],
    params: [],
    secrets: [],
    tabs: new Map(),
    begun: new Map(header.begunAt.map(({ tabId, url }) => [tabId, url])),
    last: new Map(),
  };
  const first = recorded.find(({ action }) => isOfTab(action))?.tabId ?? header.cursorTabId;
  if (first) arrive(draft, first);
  for (const step of recorded) take(draft, step);
  return { title: header.name, params: draft.params, secrets: draft.secrets, steps: draft.steps };
}

/** A tab that was there before becomes one of the program's at its first use, at the address it had. */
function arrive(draft: Draft, tabId: string): string {
  const known = draft.tabs.get(tabId);
  if (known) return known;
  const url = draft.begun.get(tabId) ?? "about:blank";
  const name = draft.tabs.size === 0 ? MAIN_TAB : `tab${draft.tabs.size + 1}`;
  draft.tabs.set(tabId, name);
  if (name !== MAIN_TAB) draft.steps.push({ do: "open_tab", tab: MAIN_TAB, opens: name, url });
  else if (url !== "about:blank") draft.steps.push({ do: "navigate", tab: name, url });
  return name;
}

function isOfTab({ do: what }: RecordedAction): boolean {
  return what !== "tab_opened" && what !== "tab_switched" && what !== "tab_closed";
}

function take(draft: Draft, { tabId, action, at }: RecordedStep): void {
  if (action.do === "tab_opened") opened(draft, tabId, action);
  else if (action.do === "tab_closed") closed(draft, tabId);
  else if (action.do !== "tab_switched") acted(draft, tabId, { action, at: Date.parse(at) });
}

function acted(draft: Draft, tabId: string, { action, at }: { action: Kept; at: number }): void {
  if (action.do === "navigate" && isOwn(draft, tabId, action.how, at)) return;
  const tab = arrive(draft, tabId);
  draft.steps.push({ tab, ...stepOf(draft, action) });
  draft.last.set(tabId, { place: draft.steps.length - 1, at });
}

/** Whether the page went there by itself: then it does so again. */
function isOwn(draft: Draft, tabId: string, how: string, at: number): boolean {
  if (how === "page") return true;
  const last = draft.last.get(tabId);
  return how === "history" && last !== undefined && at - last.at < OWN_HISTORY_MS;
}

/** What was done last in its opener opened it; a tab without an opener was opened by a person. */
function opened(draft: Draft, tabId: string, action: RecordedAction & { do: "tab_opened" }): void {
  const name = `tab${draft.tabs.size + 1}`;
  const cause = action.openerTabId === null ? undefined : draft.last.get(action.openerTabId);
  const step = cause && draft.steps[cause.place];
  if (cause && step && canOpen(step) && step.opens === undefined) {
    draft.tabs.set(tabId, name);
    draft.steps[cause.place] = { ...step, opens: name };
    return;
  }
  // A page that opens a tab by itself, or a second one, does so again: the program acts in it only if a step names it.
  if (action.openerTabId !== null) return;
  if (draft.tabs.size === 0) return void arrive(draft, tabId);
  draft.tabs.set(tabId, name);
  draft.steps.push({ do: "open_tab", tab: MAIN_TAB, opens: name, url: action.url || "about:blank" });
}

type Opening = Extract<ProgramStep, { closes?: boolean | undefined }>;

function canOpen(step: ProgramStep): step is Opening {
  return step.do === "click" || step.do === "select" || step.do === "check" || step.do === "key";
}

/** The tab is gone in the end, however it went; what was done in it last may be what closed it. */
function closed(draft: Draft, tabId: string): void {
  const tab = draft.tabs.get(tabId);
  if (!tab) return;
  const last = draft.last.get(tabId);
  const step = last && draft.steps[last.place];
  if (last && step && canOpen(step)) draft.steps[last.place] = { ...step, closes: true };
  draft.steps.push({ do: "close_tab", tab });
}

/** A step without its tab. */
type Bare<S = ProgramStep> = S extends ProgramStep ? Omit<S, "tab"> : never;
type Kept = Exclude<RecordedAction, { do: "tab_opened" | "tab_switched" | "tab_closed" }>;

function stepOf(draft: Draft, action: Kept): Bare {
  if (action.do === "navigate") return { do: "navigate", url: action.url };
  if (action.do === "dialog") {
    const text = action.promptText === undefined ? {} : { promptText: action.promptText };
    return { do: "dialog", accept: action.accepted, ...text };
  }
  if (action.do === "fill")
    return { do: "fill", target: action.target, value: paramOf(draft, action.target, action.value) };
  if (action.do === "upload") {
    return { do: "upload", target: action.target, files: action.files.map((name) => ({ name })) };
  }
  return { ...action };
}

function paramOf(draft: Draft, target: ElementTarget, value: TypedValue): { param: string } | { secret: string } {
  const { element } = target;
  const called = element?.name || element?.id || element?.role || "value";
  if ("secret" in value) {
    const name = nameFor(value.secret, draft.secrets);
    draft.secrets.push({ name, description: called });
    return { secret: name };
  }
  const name = nameFor(called, draft.params);
  draft.params.push({ name, description: called, default: value.text });
  return { param: name };
}

/** A name out of the field's words: `E-mail address` is `emailAddress`, and the second one `emailAddress2`. */
function nameFor(words: string, taken: readonly { readonly name: string }[]): string {
  const parts = words
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9 _-]/g, "")
    .split(/[\s_-]+/)
    .filter((part) => part !== "");
  const joined = parts
    .map((part, place) => (place === 0 ? part.toLowerCase() : part.charAt(0).toUpperCase() + part.slice(1)))
    .join("");
  const base = (/^[A-Za-z]/.test(joined) ? joined : `value${joined}`).slice(0, 50);
  if (!taken.some(({ name }) => name === base)) return base;
  for (let place = 2; ; place += 1) if (!taken.some(({ name }) => name === `${base}${place}`)) return `${base}${place}`;
}
