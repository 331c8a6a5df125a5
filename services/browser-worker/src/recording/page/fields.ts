import { labelOf, squeezed } from "./element.js";

/** Runs in the page, as text. What kind of field an element is, and what may be told of it. */

export type FieldKind = "text" | "lines" | "check" | "select" | "file" | "value" | "none";

export function kindOf(element: Element): FieldKind {
  if (element.localName === "textarea") return "lines";
  if (element.localName === "select") return "select";
  if ((element as HTMLElement).isContentEditable) return "lines";
  if (element.localName !== "input") return "none";
  const type = (element as HTMLInputElement).type;
  if (type === "checkbox" || type === "radio") return "check";
  if (type === "file") return "file";
  if (["submit", "button", "reset", "image", "hidden"].includes(type)) return "none";
  return ["range", "date", "time", "datetime-local", "month", "week", "color"].includes(type) ? "value" : "text";
}

/** The element that takes the typing: of rich text the outermost, not the paragraph. */
export function fieldOf(element: Element): Element {
  if (!(element as HTMLElement).isContentEditable) return element;
  let at = element;
  while (at.parentElement?.isContentEditable) at = at.parentElement;
  return at;
}

/** The checkbox, select or file field that a click is about, also by way of its label. */
export function controlOf(element: Element): Element {
  const label = element.closest("label");
  return label?.control ?? element;
}

/** A field whose value must not be told. Taken too widely rather than too narrowly: a name that sounds like one is enough. */
export function isSecret(element: Element, known: WeakSet<Element>): boolean {
  if (known.has(element)) return true;
  const words = ["name", "id", "autocomplete", "aria-label", "placeholder", "data-testid"];
  const told = words.map((word) => element.getAttribute(word) ?? "").join(" ");
  const sounds =
    /passw|passwd|pwd|passphrase|secret|one.?time|\botp|cvv|cvc|csc\b|security.?code|card.?n|cc-|ccn|iban|\bpin\b|\bssn\b|api.?key|token|private.?key/i;
  const secret = (element as HTMLInputElement).type === "password" || sounds.test(`${told} ${labelOf(element)}`);
  // A page can turn a password field into a text field to show it: it stays a secret.
  if (secret) known.add(element);
  return secret;
}

/** A name for the secret, after the field. */
export function secretNameOf(element: Element): string {
  const names = [element.getAttribute("name"), element.id, labelOf(element), element.getAttribute("autocomplete")];
  return squeezed(names.find((name) => name) ?? "secret").slice(0, 60);
}

export function textIn(element: Element): string {
  const rich = (element as HTMLElement).isContentEditable;
  // The lines of rich text are in what is shown, not in its nodes.
  const value = rich ? (element as HTMLElement).innerText : (element as HTMLInputElement).value;
  return value.slice(0, 100_000);
}

/** The key as it is pressed again, or null for one that does not matter here. */
export function keyOf(event: KeyboardEvent, kind: FieldKind, secret: boolean): string | null {
  const { key } = event;
  if (["Control", "Shift", "Alt", "Meta", "AltGraph", "CapsLock", "Dead", "Process", "Unidentified"].includes(key))
    return null;
  if (["Enter", "Escape", "Tab"].includes(key)) return combined(event, key);
  if (secret || event.getModifierState("AltGraph")) return null;
  const typing = kind === "text" || kind === "lines";
  const commands = event.ctrlKey || event.metaKey || event.altKey;
  // What these do to a field is in the field's value.
  if (typing && commands && /^[acvxyz]$/i.test(key)) return null;
  if (commands || /^F\d+$/.test(key)) return combined(event, key.length === 1 ? key.toUpperCase() : key);
  if (/^(Arrow|Page|Home|End)/.test(key)) return keyThatMoves(event, kind);
  if (kind !== "none") return null;
  return key === " " ? "Space" : key.length === 1 ? key : null;
}

/** In a list of suggestions the arrows choose; in a plain field they move the caret, which leaves nothing behind. */
export function keyThatMoves(event: KeyboardEvent, kind: FieldKind): string | null {
  const element = event.composedPath()[0];
  const suggests =
    element instanceof Element && element.matches("[role=combobox], [aria-autocomplete], [aria-haspopup], [list]");
  return kind === "none" || suggests ? combined(event, event.key) : null;
}

export function combined(event: KeyboardEvent, key: string): string {
  const held = [
    event.ctrlKey && "Control",
    event.altKey && "Alt",
    event.metaKey && "Meta",
    event.shiftKey && key.length > 1 && "Shift",
  ];
  return [...held.filter((one) => one !== false), key].join("+");
}
