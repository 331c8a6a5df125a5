import type { OperationName, OperationNamed, PageResult, RequestOf } from "@holdfast/protocol";
import type { Locator } from "playwright";
import { type ActBounds, named, onElement, type PageContext, said } from "./context.js";

type Request<N extends OperationName> = RequestOf<OperationNamed<N>>;

export async function click(request: Request<"browser_click">, context: PageContext): Promise<PageResult> {
  const { doubleClick, button, modifiers } = request;
  await onElement(context, request.target, (element, bounds) => {
    const options = { ...bounds, ...(button ? { button } : {}), ...(modifiers ? { modifiers } : {}) };
    return doubleClick ? element.dblclick(options) : element.click(options);
  });
  return said(`${doubleClick ? "Double-clicked" : "Clicked"} ${named(request)}.`);
}

/** What was typed is never repeated: it may be a password. */
export async function type(request: Request<"browser_type">, context: PageContext): Promise<PageResult> {
  const { text, slowly, submit } = request;
  await onElement(context, request.target, async (element, bounds) => {
    if (slowly) await element.pressSequentially(text, bounds);
    else await element.fill(text, bounds);
    if (submit) await element.press("Enter", bounds);
  });
  return said(`Typed ${text.length} characters into ${named(request)}${submit ? " and pressed Enter" : ""}.`);
}

type Field = Request<"browser_fill_form">["fields"][number];

export async function fillForm(request: Request<"browser_fill_form">, context: PageContext): Promise<PageResult> {
  for (const field of request.fields) {
    await onElement(context, field.target, (element, bounds) => fillField(element, field, bounds));
  }
  return said(`Filled ${request.fields.map((field) => field.name).join(", ")}.`);
}

async function fillField(element: Locator, { type: kind, value }: Field, bounds: ActBounds): Promise<void> {
  if (kind === "checkbox" || kind === "radio") await element.setChecked(value === "true", bounds);
  else if (kind === "combobox") await element.selectOption({ label: value }, bounds);
  else await element.fill(value, bounds);
}

export async function pressKey({ key }: Request<"browser_press_key">, context: PageContext): Promise<PageResult> {
  await context.page.keyboard.press(key);
  return said(`Pressed ${key}.`);
}

export async function hover(request: Request<"browser_hover">, context: PageContext): Promise<PageResult> {
  await onElement(context, request.target, (element, bounds) => element.hover(bounds));
  return said(`Moved the pointer over ${named(request)}.`);
}

export async function selectOption(
  request: Request<"browser_select_option">,
  context: PageContext,
): Promise<PageResult> {
  const chosen = await onElement(context, request.target, (element, bounds) =>
    element.selectOption(request.values, bounds),
  );
  return said(`Chose ${chosen.join(", ")} in ${named(request)}.`);
}

export async function handleDialog(
  request: Request<"browser_handle_dialog">,
  context: PageContext,
): Promise<PageResult> {
  const { accept, promptText } = request;
  const answered = await context.tab.answerDialog(accept, promptText);
  return said(`${accept ? "Accepted" : "Dismissed"} the ${answered.kind} "${answered.message}".`);
}
