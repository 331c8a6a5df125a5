import type { Locator, Page } from "playwright";
import { z } from "zod";
import { DRAFT_CHARS_MAX, DRAFT_FILL_MS, DRAFTS_FILL_MS, DRAFTS_MAX } from "../limits.js";

/** A form field that a person or an agent had begun to fill. Never a password, and nothing that looks like a secret. */
export const draft = z.object({
  selector: z.string(),
  kind: z.enum(["text", "check", "select", "rich"]),
  value: z.string(),
});
export type Draft = z.infer<typeof draft>;

export const savedPage = z.object({
  tabId: z.string(),
  url: z.string(),
  scroll: z.object({ x: z.number(), y: z.number() }),
  drafts: z.array(draft),
  /** Fields with something in them that is not saved: secrets, files, and what is too much. */
  unsaved: z.int().default(0),
});
export type SavedPage = z.infer<typeof savedPage>;

/** What a page holds that loading its address does not bring back; one with something unsaved must not be closed. */
export type PageRead = Pick<SavedPage, "scroll" | "drafts" | "unsaved">;

export async function readPage(page: Page): Promise<PageRead> {
  return page.evaluate(collect, { draftsMax: DRAFTS_MAX, charsMax: DRAFT_CHARS_MAX });
}

/**
 * Puts drafts and position back; the drafts that did not come back as they were are returned. Fields that are there are
 * filled first: one that is missing is waited for, as scripts may still add it, and must not cost the others their time.
 */
export async function restorePage(page: Page, saved: SavedPage): Promise<Draft[]> {
  const until = performance.now() + DRAFTS_FILL_MS;
  const there = await page.evaluate(
    (selectors) => selectors.map((selector) => document.querySelector(selector) !== null),
    saved.drafts.map(({ selector }) => selector),
  );
  const present = saved.drafts.filter((_, place) => there[place]);
  const missing = saved.drafts.filter((_, place) => !there[place]);
  const failed: Draft[] = [];
  for (const draft of [...present, ...missing]) {
    const leftMs = Math.min(DRAFT_FILL_MS, until - performance.now());
    if (leftMs <= 0 || !(await fill(page, draft, leftMs))) failed.push(draft);
  }
  await page.evaluate(({ x, y }) => scrollTo(x, y), saved.scroll);
  return failed;
}

async function fill(page: Page, { selector, kind, value }: Draft, timeout: number): Promise<boolean> {
  const field = page.locator(selector);
  try {
    const now = await readBack(field, kind, timeout);
    if (now === value) return true;
    // The site has brought a text of its own, with its markup: typed over it would be changed, and perhaps saved.
    if (kind === "rich" && now.trim() !== "") return false;
    if (kind === "check") await field.setChecked(value === "true", { timeout });
    else if (kind === "select") await field.selectOption(JSON.parse(value) as string[], { timeout });
    else await field.fill(value, { timeout });
    return (await readBack(field, kind, timeout)) === value;
  } catch {
    // The page of today has no such field, or it takes no input: that is told as not restored, and is no fault.
    return false;
  }
}

function readBack(field: Locator, kind: Draft["kind"], timeout: number): Promise<string> {
  return field.evaluate(
    (element, of) => {
      if (of === "check") return String((element as HTMLInputElement).checked);
      if (of === "select")
        return JSON.stringify([...(element as HTMLSelectElement).selectedOptions].map((option) => option.value));
      return of === "rich" ? (element as HTMLElement).innerText : (element as HTMLInputElement).value;
    },
    kind,
    { timeout },
  );
}

/** Runs in the page. */
function collect({ draftsMax, charsMax }: { draftsMax: number; charsMax: number }): PageRead {
  const secret = /^(cc-|one-time-code|current-password|new-password)/;
  const pathOf = (element: Element): string => {
    if (element.id) return `#${CSS.escape(element.id)}`;
    const parts: string[] = [];
    for (let at: Element | null = element; at && at !== document.documentElement; at = at.parentElement) {
      const place = [...(at.parentElement?.children ?? [])].indexOf(at) + 1;
      parts.unshift(`${at.localName}:nth-child(${place})`);
    }
    return parts.join(" > ");
  };
  const draftOf = (element: Element): Draft | null => {
    const selector = pathOf(element);
    if (element instanceof HTMLSelectElement) {
      const byDefault = [...element.options].some((option) => option.defaultSelected);
      const first = (option: HTMLOptionElement): boolean => !byDefault && !element.multiple && option.index === 0;
      const changed = [...element.options].some(
        (option) => option.selected !== (option.defaultSelected || first(option)),
      );
      const value = JSON.stringify([...element.selectedOptions].map((option) => option.value));
      return changed ? { selector, kind: "select", value } : null;
    }
    if (element instanceof HTMLTextAreaElement) {
      return element.value === element.defaultValue ? null : { selector, kind: "text", value: element.value };
    }
    if (element instanceof HTMLInputElement) {
      if (["password", "hidden", "file", "submit", "button", "image", "reset"].includes(element.type)) return null;
      if (secret.test(element.autocomplete)) return null;
      // Of radios the chosen one says it all.
      if (element.type === "radio" && !element.checked) return null;
      if (element.type === "checkbox" || element.type === "radio") {
        return element.checked === element.defaultChecked
          ? null
          : { selector, kind: "check", value: String(element.checked) };
      }
      return element.value === element.defaultValue ? null : { selector, kind: "text", value: element.value };
    }
    const text = (element as HTMLElement).innerText;
    return text ? { selector, kind: "rich", value: text } : null;
  };
  const fields = [
    ...document.querySelectorAll("input, textarea, select, [contenteditable=''], [contenteditable=true]"),
  ];
  const all = fields.map(draftOf).filter((one): one is Draft => one !== null);
  const drafts = all.filter((one) => one.value.length <= charsMax).slice(0, draftsMax);
  const hidden = fields.filter(
    (field) =>
      field instanceof HTMLInputElement &&
      (field.type === "password" || field.type === "file" || secret.test(field.autocomplete)) &&
      field.value !== "" &&
      field.value !== field.defaultValue,
  );
  return { scroll: { x: scrollX, y: scrollY }, drafts, unsaved: hidden.length + all.length - drafts.length };
}
