import { type PageServer, startPageServer, startTestStack, type TestStack } from "@holdfast/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { type Display, openDisplay } from "../support/display.js";
import { openTab } from "../support/scene.js";
import { type Client, fine } from "../support/work.js";

const ROUNDS = 20;

let display: Display;
let pages: PageServer;
let stack: TestStack;
let client: Client;

beforeAll(async () => {
  display = await openDisplay();
  pages = await startPageServer();
  stack = await startTestStack({ headed: true, env: display.env });
  client = await stack.client("shown");
  fine(await client.call("browser_navigate", { url: pages.url("/form") }));
});

afterAll(async () => {
  await stack?.stop();
  await pages?.close();
  display?.close();
});

/** A person types in another program, one key before each of these, and is not disturbed. */
async function besideAPerson(work: readonly (() => Promise<unknown>)[]): Promise<void> {
  const desk = await display.desk();
  for (const step of work) {
    desk.press("a");
    await step();
  }
  // The last key may still be on its way to the window.
  await expect.poll(() => desk.keysHeard(), { timeout: 5_000 }).toBe(work.length);
  expect(desk.disturbed()).toBe(0);
  desk.close();
}

const call = (tool: string, args: Record<string, unknown> = {}) =>
  client.call(tool, args).then((answer) => void fine(answer));

test(verifies("view.shown-reads"), async () => {
  await besideAPerson(
    Array.from({ length: ROUNDS }, (_, n) => () => call(n % 4 === 3 ? "browser_take_screenshot" : "browser_snapshot")),
  );
  const typed = await client.call("browser_evaluate", { function: "() => document.querySelector('#text').value" });
  expect(fine(typed).text).toContain('""');
});

test(verifies("view.shown-tabs"), { timeout: 120_000 }, async () => {
  const tabs = await Promise.all(
    ["/a", "/b"].map((path) => openTab(client, { workspaceId: "shown", url: pages.url(path) })),
  );
  await besideAPerson(
    Array.from({ length: ROUNDS }, (_, n) => () => call("browser_tabs", { action: "select", tabId: tabs[n % 2] })),
  );
  await besideAPerson(Array.from({ length: ROUNDS }, () => () => call("browser_tabs", { action: "new" })));
});

test(verifies("view.shown-typing"), async () => {
  fine(await client.call("browser_navigate", { url: pages.url("/form") }));
  await besideAPerson([
    () => call("browser_type", { target: "#text", text: "by the agent" }),
    () => call("browser_type", { target: "#text", text: "by the agent", slowly: true }),
    () => call("browser_press_key", { key: "z" }),
    () => call("browser_hover", { target: "#check" }),
    () => call("browser_navigate", { url: pages.url("/form") }),
    () => call("browser_evaluate", { function: "() => document.title" }),
  ]);
});
