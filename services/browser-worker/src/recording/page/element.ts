/**
 * Runs in the page, as text: every function here stands alone, or calls another function of this folder by its name.
 * What is read of an element is what finds it again, and never what was typed into it.
 */

export interface LocatorFound {
  readonly by: string;
  readonly value?: string;
  readonly role?: string;
  readonly name?: string;
}

export interface ElementFound {
  readonly locators: readonly LocatorFound[];
  readonly element: Readonly<Record<string, string>>;
}

/** The element that a person means: a button, not the picture in it. */
export function meant(element: Element): Element {
  const wanted =
    "button, a[href], input, select, textarea, summary, option, label, [contenteditable=''], [contenteditable='true'], " +
    "[role=button], [role=link], [role=tab], [role=menuitem], [role=option], [role=switch], [role=checkbox], [role=radio], " +
    "[role=combobox], [role=treeitem], [data-testid]";
  for (let at: Element | null = element; at; ) {
    const found: Element | null = at.closest(wanted);
    if (found) return found;
    const root: Node = at.getRootNode();
    at = root instanceof ShadowRoot ? root.host : null;
  }
  return element;
}

export function describe(element: Element): ElementFound {
  const role = roleOf(element);
  const name = nameOf(element);
  const isField = element.matches("input, select, textarea");
  const text = isField || (element as HTMLElement).isContentEditable ? "" : textOf(element);
  const seen: Record<string, string> = { tag: element.localName, role, name, text: text.slice(0, 200) };
  for (const attribute of ["type", "id", "href"]) {
    const value = element.getAttribute(attribute);
    if (value) seen[attribute] = value.slice(0, attribute === "href" ? 2_000 : attribute === "id" ? 500 : 100);
  }
  return { locators: locatorsOf(element, { role, name, text }), element: seen };
}

export function locatorsOf(
  element: Element,
  { role, name, text }: { role: string; name: string; text: string },
): LocatorFound[] {
  const found: LocatorFound[] = [];
  const testId = element.getAttribute("data-testid");
  if (testId) found.push({ by: "testId", value: testId });
  for (const attribute of ["data-test-id", "data-test", "data-qa", "data-cy"]) {
    const value = element.getAttribute(attribute);
    if (value) found.push({ by: "css", value: `[${attribute}=${JSON.stringify(value)}]` });
  }
  if (role && name) found.push({ by: "role", role, name });
  const label = labelOf(element);
  if (label) found.push({ by: "label", value: label });
  const placeholder = element.getAttribute("placeholder");
  if (placeholder) found.push({ by: "placeholder", value: placeholder.slice(0, 500) });
  if (text && text.length <= 100) found.push({ by: "text", value: text });
  if (element.id) found.push({ by: "css", value: `#${CSS.escape(element.id)}` });
  const fieldName = element.getAttribute("name");
  if (fieldName) found.push({ by: "css", value: `${element.localName}[name=${JSON.stringify(fieldName)}]` });
  found.push({ by: "css", value: pathOf(element) });
  return found;
}

export function roleOf(element: Element): string {
  const given = element.getAttribute("role");
  if (given) return given.split(" ")[0] ?? "";
  const tag = element.localName;
  if (tag === "a") return element.hasAttribute("href") ? "link" : "";
  if (tag === "select") return (element as HTMLSelectElement).multiple ? "listbox" : "combobox";
  if (/^h[1-6]$/.test(tag)) return "heading";
  if (tag === "input") return inputRoleOf(element as HTMLInputElement);
  const roles: Record<string, string> = {
    button: "button",
    textarea: "textbox",
    option: "option",
    img: "img",
    li: "listitem",
    nav: "navigation",
    dialog: "dialog",
    table: "table",
    td: "cell",
    tr: "row",
  };
  return roles[tag] ?? "";
}

export function inputRoleOf(input: HTMLInputElement): string {
  const roles: Record<string, string> = {
    button: "button",
    submit: "button",
    reset: "button",
    image: "button",
    checkbox: "checkbox",
    radio: "radio",
    range: "slider",
    number: "spinbutton",
    search: "searchbox",
    password: "",
    file: "",
    hidden: "",
    date: "",
    color: "",
  };
  const role = roles[input.type] ?? "textbox";
  return input.list && (role === "textbox" || role === "searchbox") ? "combobox" : role;
}

export function nameOf(element: Element): string {
  const by = element.getAttribute("aria-labelledby");
  const root = element.getRootNode() as Document | ShadowRoot;
  const named = by
    ? by
        .split(/\s+/)
        .map((id) => root.getElementById(id)?.textContent ?? "")
        .join(" ")
    : "";
  const button = element.matches("input[type=submit], input[type=button], input[type=reset]")
    ? (element as HTMLInputElement).value
    : "";
  const inner = element.matches("input, select, textarea") ? "" : textOf(element) || altOf(element);
  const all = [named, element.getAttribute("aria-label"), labelOf(element), button, element.getAttribute("alt"), inner];
  const last = [element.getAttribute("title"), element.getAttribute("placeholder")];
  return squeezed([...all, ...last].find((text) => text && squeezed(text) !== "") ?? "").slice(0, 200);
}

export function altOf(element: Element): string {
  return element.querySelector("img[alt]")?.getAttribute("alt") ?? "";
}

/** What labels a field. */
export function labelOf(element: Element): string {
  const labels = (element as HTMLInputElement).labels;
  const label = labels?.[0];
  if (!label) return "";
  // A label around its field holds the field's own text too, which is what was typed.
  let text = "";
  const take = (node: Node): void => {
    if (node.nodeType === Node.TEXT_NODE) text += node.nodeValue ?? "";
    else if (!(node instanceof Element && node.matches("input, select, textarea"))) node.childNodes.forEach(take);
  };
  take(label);
  return squeezed(text).slice(0, 200);
}

export function textOf(element: Element): string {
  return squeezed((element.textContent ?? "").slice(0, 1_000));
}

export function squeezed(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** A way down to the element by places, from the nearest element with an id. */
export function pathOf(element: Element): string {
  const parts: string[] = [];
  for (let at: Element | null = element; at; ) {
    if (at.id) {
      parts.unshift(`#${CSS.escape(at.id)}`);
      break;
    }
    const parent: Element | null = at.parentElement;
    const siblings = parent ? [...parent.children].filter((one) => one.localName === at?.localName) : [];
    parts.unshift(siblings.length > 1 ? `${at.localName}:nth-of-type(${siblings.indexOf(at) + 1})` : at.localName);
    at = parent;
  }
  const root = element.getRootNode();
  const inside = parts.join(" > ");
  return root instanceof ShadowRoot ? `${pathOf(root.host)} ${inside}` : inside;
}
