import { type PageServer, startPageServer, startTestStack, type TestStack, type ToolAnswer } from "@holdfast/testkit";
import { afterAll, beforeAll } from "vitest";
import { type Client, fine, type Status, statusOf, told } from "./work.js";

/** A stack, the fixture pages and one client, for all the tests of a file. */
export interface Scene {
  readonly stack: () => TestStack;
  readonly pages: () => PageServer;
  readonly client: () => Client;
  /** The address of a fixture page. */
  readonly url: (path: string) => string;
}

export function withScene(): Scene {
  let stack: TestStack;
  let pages: PageServer;
  let client: Client;
  beforeAll(async () => {
    pages = await startPageServer();
    stack = await startTestStack();
    client = await stack.client();
  });
  afterAll(async () => {
    await stack?.stop();
    await pages?.close();
  });
  return { stack: () => stack, pages: () => pages, client: () => client, url: (path) => pages.url(path) };
}

/** What `browser_tabs` tells. */
export interface Tabs {
  readonly tabs: readonly TabTold[];
  readonly target: { readonly tabId: string; readonly url: string } | null;
}

export interface TabTold {
  readonly tabId: string;
  readonly profileId: string;
  readonly url: string;
  readonly state: string;
  readonly openerTabId: string | null;
  readonly cursor: boolean;
  readonly viewedBy: readonly string[];
}

/** Opens a project with one tab per address, the cursor at the first; gives the ids in order. */
export async function projectAt(client: Client, workspaceId: string, urls: readonly string[]): Promise<string[]> {
  told(await client.call("project_open", { workspaceId }));
  const [first, ...others] = urls;
  const opened = first === undefined ? null : fine(await client.call("browser_navigate", { workspaceId, url: first }));
  const ids = opened ? [tabOf(opened)] : [];
  for (const url of others) ids.push(await openTab(client, { workspaceId, url }));
  return ids;
}

/** Opens a tab beside the cursor's. */
export async function openTab(
  client: Client,
  where: { readonly workspaceId: string; readonly url: string; readonly [more: string]: unknown },
): Promise<string> {
  const { target } = told<Tabs>(await client.call("browser_tabs", { action: "new", select: false, ...where }));
  if (target === null) throw new Error("A new tab has no id.");
  return target.tabId;
}

export async function tabsOf(client: Client, workspaceId: string): Promise<readonly TabTold[]> {
  return told<Tabs>(await client.call("browser_tabs", { action: "list", workspaceId })).tabs;
}

/** The tab that an answer is about. */
export function tabOf({ meta, text }: ToolAnswer): string {
  if (meta.target === null) throw new Error(`The answer names no tab: ${text}`);
  return meta.target.tabId;
}

export async function cursorOf(client: Client, workspaceId: string): Promise<Status["cursor"]> {
  return (await statusOf(client, workspaceId)).cursor;
}

/** The marks of fixture pages that a text carries. */
export function marksIn(text: string): string[] {
  return [...new Set(text.match(/MARK:[^\s"'<]+/g) ?? [])];
}
