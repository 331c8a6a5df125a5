import type { Page } from "playwright";

/** One call measured on both sides: raw Playwright in this process, and Holdfast over MCP HTTP. */
export interface Case {
  readonly name: string;
  /** What Holdfast may take beyond raw, in ms; a factor instead where the call itself is long. */
  readonly target: { readonly plusMs: number } | { readonly factor: number };
  readonly path: string;
  readonly raw: (page: Page, ref: string) => Promise<unknown>;
  readonly tool: string;
  readonly args: (ref: string, url: string) => Record<string, unknown>;
  /** The element that is acted on, as its line in the snapshot begins. */
  readonly element?: RegExp;
}

const FORM = "/form?m=bench";

export const CASES: readonly Case[] = [
  {
    name: "evaluate 1+1",
    target: { plusMs: 5 },
    path: FORM,
    raw: (page) => page.evaluate("1+1"),
    tool: "browser_evaluate",
    args: () => ({ function: "1+1" }),
  },
  {
    name: "snapshot, form page",
    target: { plusMs: 5 },
    path: FORM,
    raw: (page) => page.ariaSnapshot({ mode: "ai" }),
    tool: "browser_snapshot",
    args: () => ({}),
  },
  {
    name: "click",
    target: { plusMs: 6 },
    path: "/count?id=bench&m=bench",
    raw: (page, ref) => page.locator(`aria-ref=${ref}`).click(),
    tool: "browser_click",
    args: (ref) => ({ target: ref }),
    element: /button "[^"]*" \[ref=(\w+)\]/,
  },
  {
    name: "fill",
    target: { plusMs: 6 },
    path: FORM,
    raw: (page, ref) => page.locator(`aria-ref=${ref}`).fill("some text"),
    tool: "browser_type",
    args: (ref) => ({ target: ref, text: "some text" }),
    element: /textbox(?: "[^"]*")? \[ref=(\w+)\]/,
  },
  {
    name: "navigate, local page",
    target: { plusMs: 8 },
    path: "/a?m=bench",
    raw: (page) => page.goto(page.url(), { waitUntil: "domcontentloaded" }),
    tool: "browser_navigate",
    args: (_ref, url) => ({ url }),
  },
  {
    name: "snapshot, 2,000 elements",
    target: { factor: 1.05 },
    path: "/big?nodes=2000",
    raw: (page) => page.ariaSnapshot({ mode: "ai" }),
    tool: "browser_snapshot",
    args: () => ({}),
  },
];

export function caseNamed(name: string): Case {
  const found = CASES.find((one) => one.name === name);
  if (found) return found;
  throw new Error(`There is no case ${name}.`);
}
