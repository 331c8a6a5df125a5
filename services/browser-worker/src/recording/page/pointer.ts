import { describe, meant } from "./element.js";
import { controlOf, fieldOf, kindOf } from "./fields.js";
import { type Capture, tellOf } from "./state.js";

/** Runs in the page, as text. What is clicked and dragged. */

export function pressed(capture: Capture, event: PointerEvent, element: Element): void {
  capture.keyed = false;
  capture.dragged = false;
  capture.down = event.button === 0 ? { x: event.clientX, y: event.clientY, element: meant(element) } : null;
}

export function released(capture: Capture, event: PointerEvent, element: Element): void {
  const { down } = capture;
  if (!down || Math.hypot(event.clientX - down.x, event.clientY - down.y) < 10) return;
  // Whoever marks text, or moves a slider, drags nothing.
  const field = kindOf(fieldOf(down.element)) !== "none";
  // The click that comes of it is one of whatever is around both ends, and means nothing.
  capture.dragged = meant(element) !== down.element;
  if (!field && getSelection()?.isCollapsed !== false) dragged(capture, event, element);
}

export function dragged(capture: Capture, event: MouseEvent, element: Element): void {
  const { down } = capture;
  if (!down) return;
  const placeIn = (target: Element, x: number, y: number): { x: number; y: number } => {
    const box = target.getBoundingClientRect();
    return { x: Math.round(x - box.x), y: Math.round(y - box.y) };
  };
  const from = placeIn(down.element, down.x, down.y);
  const at = placeIn(element, event.clientX, event.clientY);
  tellOf(capture, down.element, { kind: "drag", to: describe(element), from, in: at });
  capture.down = null;
}

export function clicked(capture: Capture, event: MouseEvent, element: Element): void {
  // A key makes a click of a button, and sends a form by its button: the key was told.
  if ((capture.keyed && event.detail === 0) || capture.dragged) return;
  const kind = kindOf(controlOf(element));
  if (kind === "check" || kind === "select" || kind === "file" || kind === "value") return;
  // A label passes its click on to its field.
  if (event.detail === 0 && element.matches("input, textarea")) return;
  const { ctrlKey, altKey, metaKey, shiftKey, button } = event;
  const held = [altKey && "Alt", ctrlKey && "Control", metaKey && "Meta", shiftKey && "Shift"];
  tellOf(capture, meant(element), {
    kind: "click",
    double: event.type === "dblclick",
    button: button === 2 ? "right" : button === 1 ? "middle" : "left",
    modifiers: held.filter((one) => one !== false),
  });
}
