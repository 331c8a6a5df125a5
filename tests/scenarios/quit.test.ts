import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { allGone, type PageServer, startPageServer, startTestStack, type TestStack, until } from "@holdfast/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { type Client, fine, type Status, statusOf, taskIn, told } from "../support/work.js";

/** All processes are gone this many ms after a quit that passes. */
const GONE_MS = 10_000;
/** A start brings projects back one after the other, each within this, in ms. */
const BACK_MS = 30_000;
/** Put together in the page itself, so that no message and no log of a call has it. */
const SECRET = "correct-horse";
const DRAFT = "a letter that nobody has sent";

interface Saved {
  readonly workspaceId: string;
  readonly saved: boolean;
  readonly profiles: number;
  readonly tabs: number;
  readonly drafts: number;
}

interface Restored {
  readonly workspaceId: string;
  readonly items: readonly {
    readonly what: string;
    readonly id: string;
    readonly state: string;
    readonly reason: string;
  }[];
}

let pages: PageServer;
let first: TestStack;
let second: TestStack;
let quitAnswer: { readonly state: string; readonly saved: readonly Saved[] };
let before: Status;
let back: Client;
let formTab: string;
let tallTab: string;

beforeAll(async () => {
  pages = await startPageServer();
  first = await startTestStack({ keepState: true });
  const client = await first.client();
  await fillIn(client);
  before = await statusOf(client, "letters");
  const processes = first.processes();
  quitAnswer = told(await client.call("system_quit"));
  // What the test of the same name is about: it would be too late to look for them there.
  gone = allGone(processes, GONE_MS).then(() => processes.length);
  await gone;
  second = await startTestStack({ stateDir: first.stateDir, keepState: true });
  back = await second.client();
});

let gone: Promise<number>;

afterAll(async () => {
  await second?.stop();
  await first?.stop();
  await pages?.close();
  if (first) rmSync(first.stateDir, { recursive: true, force: true });
});

/** A login, a form that is half filled in, a page that is scrolled, and a second project with another login. */
async function fillIn(client: Client): Promise<void> {
  for (const [workspaceId, user] of [
    ["letters", "ann"],
    ["elsewhere", "bob"],
  ]) {
    told(await client.call("project_open", { workspaceId }));
    fine(await client.call("browser_navigate", { workspaceId, url: pages.url(`/login?user=${user}`) }));
  }
  const workspaceId = "letters";
  const tall = await client.call("browser_navigate", { workspaceId, url: pages.url("/tall") });
  tallTab = fine(tall).meta.target?.tabId ?? "";
  fine(await client.call("browser_evaluate", { workspaceId, function: "() => scrollTo(0, 1234)" }));
  const form = told<{ target: { tabId: string } }>(
    await client.call("browser_tabs", { workspaceId, action: "new", url: pages.url("/form") }),
  );
  formTab = form.target.tabId;
  fine(await client.call("browser_type", { workspaceId, target: "#text", text: DRAFT }));
  fine(await client.call("browser_type", { workspaceId, target: "#editable", text: "edited in place" }));
  fine(await client.call("browser_click", { workspaceId, target: "#check" }));
  fine(await client.call("browser_select_option", { workspaceId, target: "#select", values: ["2"] }));
  const secret = `() => { document.getElementById("password").value = ["correct", "horse"].join("-"); }`;
  fine(await client.call("browser_evaluate", { workspaceId, function: secret }));
  // A field that the page itself does not have when it is loaded again.
  const late = `() => { const field = document.createElement("input"); field.id = "late"; document.body.append(field); field.value = "too late"; }`;
  fine(await client.call("browser_evaluate", { workspaceId, function: late }));
  told(await client.call("project_memory", { workspaceId, action: "set", key: "to", value: "the editor" }));
}

async function inTab(tabId: string, script: string): Promise<unknown> {
  const answer = fine(await back.call("browser_evaluate", { workspaceId: "letters", tabId, function: script }));
  return JSON.parse(answer.text.split("\n").slice(1).join("\n"));
}

async function reports(): Promise<readonly Restored[]> {
  return told<{ restore: readonly Restored[] }>(await back.call("system_status")).restore;
}

function reportOf(workspaceId: string): Promise<Restored> {
  return until(async () => (await reports()).find((report) => report.workspaceId === workspaceId), {
    deadlineMs: BACK_MS,
    why: `the start reports on ${workspaceId}`,
  });
}

describe("a quit that passes", () => {
  test(verifies("quit.saves"), () => {
    expect(quitAnswer.state).toBe("closing");
    const saved = [...quitAnswer.saved].sort((a, b) => a.workspaceId.localeCompare(b.workspaceId));
    expect(saved).toMatchObject([
      { workspaceId: "elsewhere", saved: true, profiles: 1, tabs: 1, drafts: 0 },
      { workspaceId: "letters", saved: true, profiles: 1, tabs: 2, drafts: 5 },
    ]);
  });

  test(verifies("quit.no-passwords"), () => {
    const stored = filesIn(first.stateDir).map((path) => readFileSync(path).toString("latin1"));
    expect(stored.some((text) => text.includes(DRAFT))).toBe(true);
    expect(stored.filter((text) => text.includes(SECRET))).toEqual([]);
  });

  test(verifies("quit.all-gone"), async () => {
    expect(await gone).toBeGreaterThan(4);
    expect(await first.stack.closed).toEqual({ code: 0 });
  });

  function filesIn(folder: string): string[] {
    const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  }
});

describe("the next start", () => {
  test(verifies("quit.reports"), async () => {
    const letters = await reportOf("letters");
    const state = (what: string, id?: string) =>
      letters.items
        .filter((item) => item.what === what && (id === undefined || item.id === id))
        .map((item) => item.state);
    expect(state("profile", "default")).toEqual(["verified"]);
    expect(state("tab", formTab)).toEqual(["verified"]);
    expect(state("tab", tallTab)).toEqual(["restored_unverified"]);
    expect(state("cursor")).toEqual(["verified"]);
    expect(state("draft", `${formTab} #late`)).toEqual(["not_restored"]);
    expect(state("draft").filter((each) => each === "verified")).toHaveLength(4);
    // What is never saved is told too.
    expect(state("draft", `${formTab} unsaved`)).toEqual(["not_restored"]);
    expect(letters.items.every(({ reason }) => reason.length > 0)).toBe(true);
    expect(JSON.stringify(letters)).not.toContain("password");
    const elsewhere = await reportOf("elsewhere");
    expect(elsewhere.items).toContainEqual(expect.objectContaining({ what: "profile", state: "verified" }));
  });

  test(verifies("quit.restores"), async () => {
    await reportOf("letters");
    const now = await statusOf(back, "letters");
    expect(now.cursor).toEqual(before.cursor);
    expect(now.tabs.map(({ tabId, url }) => [tabId, url])).toEqual(before.tabs.map(({ tabId, url }) => [tabId, url]));
    expect(now.memory).toEqual({ to: "the editor" });
    expect(now.execution).toBeNull();

    const fields = `() => ["text", "area", "password"].map((id) => document.getElementById(id).value)`;
    expect(await inTab(formTab, fields)).toEqual([DRAFT, "", ""]);
    expect(await inTab(formTab, `() => document.getElementById("editable").innerText`)).toBe("edited in place");
    expect(await inTab(formTab, `() => document.getElementById("check").checked`)).toBe(true);
    expect(await inTab(formTab, `() => document.getElementById("select").value`)).toBe("2");
    expect(await inTab(tallTab, "() => scrollY")).toBe(1234);
  });

  test.each([
    ["letters", "ann"],
    ["elsewhere", "bob"],
  ])(verifies("quit.restores", "the login of %s"), async (workspaceId, user) => {
    const tab = told<{ target: { tabId: string } }>(
      await back.call("browser_tabs", { workspaceId, action: "new", url: pages.url("/whoami"), select: false }),
    );
    const { text } = fine(await back.call("browser_snapshot", { workspaceId, tabId: tab.target.tabId }));
    expect(text).toContain(`cookie: ${user}`);
    expect(text).toContain(`stored: ${user}`);
  });

  test(verifies("quit.restores", "and works on"), async () => {
    const work = await taskIn(second, "letters", pages.url("/a"));
    fine(await work.call("browser_click", { target: "#press" }));
    const refused = await back.call("system_quit");
    expect(refused.code).toBe("MCP_BACKGROUND_PROJECT_RUNNING");
    told(await work.call("task_finish"));
  });
});
