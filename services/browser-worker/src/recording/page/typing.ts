import { fieldOf, isSecret, keyOf, kindOf, secretNameOf, textIn } from "./fields.js";
import { type Capture, settleEnter, tellOf } from "./state.js";

/** Runs in the page, as text. What is typed, chosen and pressed. */

export function typed(capture: Capture, event: InputEvent, element: Element): void {
  if (/^insert(LineBreak|Paragraph)$/.test(event.inputType)) capture.enter = null;
  const kind = kindOf(element);
  if (kind !== "text" && kind !== "lines" && kind !== "value") return;
  const value = isSecret(element, capture.secrets) ? { secret: secretNameOf(element) } : { text: textIn(element) };
  tellOf(capture, element, { kind: "fill", value });
}

export function changed(capture: Capture, element: Element): void {
  const kind = kindOf(element);
  if (kind === "check") tellOf(capture, element, { kind: "check", checked: (element as HTMLInputElement).checked });
  if (kind === "file") {
    const files = [...((element as HTMLInputElement).files ?? [])].map((file) => file.name.slice(0, 500));
    tellOf(capture, element, { kind: "upload", files: files.slice(0, 20) });
  }
  if (kind !== "select") return;
  const chosen = [...(element as HTMLSelectElement).selectedOptions].map((option) => option.value.slice(0, 1_000));
  tellOf(capture, element, { kind: "select", values: chosen.slice(0, 1_000) });
}

export function keyDown(capture: Capture, event: KeyboardEvent, element: Element): void {
  settleEnter(capture, true);
  if (event.isComposing) return;
  const field = fieldOf(element);
  const kind = kindOf(field);
  const key = keyOf(event, kind, isSecret(field, capture.secrets));
  if (key === null) return;
  capture.keyed = /(Enter|Space)$/.test(key);
  if (kind === "lines" && key.endsWith("Enter")) capture.enter = { element: field, key };
  else tellOf(capture, field, { kind: "key", key });
}
