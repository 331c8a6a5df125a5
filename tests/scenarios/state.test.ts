import { rmSync } from "node:fs";
import { allGone, type PageServer, startPageServer, startTestStack, type TestStack, until } from "@holdfast/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { drafted, filesNaming, restoreOf, savedIn, waitForSave } from "../support/kept.js";
import { projectAt, tabOf, tabsOf } from "../support/scene.js";
import { type Client, fine, nextTask, statusOf, stopOf, told } from "../support/work.js";

const DRAFT = "a letter that nobody has sent";
const GONE_MS = 10_000;

let pages: PageServer;
const stacks: TestStack[] = [];
const folders = new Set<string>();

beforeAll(async () => {
  pages = await startPageServer();
});

afterAll(async () => {
  for (const stack of stacks) await stack.stop();
  await pages?.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function start(options: { stateDir?: string; key?: string } = {}): Promise<{ stack: TestStack; client: Client }> {
  const { stateDir, key } = options;
  const stack = await startTestStack({
    keepState: true,
    ...(stateDir === undefined ? {} : { stateDir }),
    ...(key === undefined ? {} : { env: { HOLDFAST_STATE_KEY: key } }),
  });
  stacks.push(stack);
  folders.add(stack.stateDir);
  return { stack, client: await stack.client() };
}

/** As a power cut ends it: nobody saves anything. */
async function crash(stack: TestStack): Promise<void> {
  const before = stack.processes();
  await stack.stack.stop("SIGKILL");
  await allGone(before, GONE_MS);
}

async function login(client: Client, workspaceId: string, user: string): Promise<void> {
  await projectAt(client, workspaceId, [pages.url(`/login?user=${user}`)]);
}

async function whoIs(client: Client, workspaceId: string): Promise<string> {
  const url = pages.url("/whoami");
  fine(await client.call("browser_navigate", { workspaceId, url }));
  return fine(await client.call("browser_snapshot", { workspaceId })).text;
}

describe("after everything was killed", () => {
  test(verifies("state.saved-on-change"), { timeout: 120_000 }, async () => {
    const first = await start();
    await login(first.client, "kept", "ann");
    fine(await first.client.call("browser_navigate", { workspaceId: "kept", url: pages.url("/form") }));
    fine(await first.client.call("browser_type", { workspaceId: "kept", target: "#text", text: DRAFT }));
    const secret = `() => { document.getElementById("password").value = "hidden"; scrollTo(0, 7); }`;
    fine(await first.client.call("browser_evaluate", { workspaceId: "kept", function: secret }));
    const beside = told<{ target: { tabId: string } }>(
      await first.client.call("browser_tabs", {
        workspaceId: "kept",
        action: "new",
        url: pages.url("/tall"),
        select: false,
      }),
    ).target.tabId;
    const scrolled = { workspaceId: "kept", tabId: beside, function: "() => scrollTo(0, 1234)" };
    fine(await first.client.call("browser_evaluate", scrolled));
    const before = await statusOf(first.client, "kept");
    await waitForSave(first.stack, "kept");
    await crash(first.stack);

    const second = await start({ stateDir: first.stack.stateDir });
    const report = await restoreOf(second.client, "kept");
    expect(report.ageMs).toBeGreaterThan(0);
    expect(report.ageMs).toBeLessThan(120_000);
    expect(Date.parse(report.savedAt)).toBeLessThan(Date.now());
    expect(report.items).toContainEqual(expect.objectContaining({ what: "profile", state: "verified" }));
    const after = await statusOf(second.client, "kept");
    expect(after.cursor).toEqual(before.cursor);
    expect(after.tabs.map(({ tabId, url }) => [tabId, url])).toEqual(before.tabs.map(({ tabId, url }) => [tabId, url]));
    expect(await drafted(second.client, "kept", ["text", "password"])).toEqual([DRAFT, ""]);
    const at = { workspaceId: "kept", tabId: beside, function: "() => scrollY" };
    expect(fine(await second.client.call("browser_evaluate", at)).text).toContain("1234");
    expect(await whoIs(second.client, "kept")).toContain("cookie: ann");
    await second.stack.stop();
  });

  test(verifies("state.saved-by-itself"), { timeout: 120_000 }, async () => {
    const first = await start();
    await projectAt(first.client, "by-itself", [pages.url("/whoami")]);
    const later = "() => { setTimeout(() => localStorage.setItem('user', 'later'), 8000); }";
    fine(await first.client.call("browser_evaluate", { workspaceId: "by-itself", function: later }));
    await waitForSave(first.stack, "by-itself");
    await waitForSave(first.stack, "by-itself");
    await crash(first.stack);
    const second = await start({ stateDir: first.stack.stateDir });
    expect(await whoIs(second.client, "by-itself")).toContain("stored: later");
    await second.stack.stop();
  });

  test(verifies("state.second-run"), { timeout: 120_000 }, async () => {
    const first = await start();
    await login(first.client, "runs", "bob");
    told(await first.client.call("system_quit"));
    await first.stack.stack.closed;
    const second = await start({ stateDir: first.stack.stateDir });
    const text = await whoIs(second.client, "runs");
    expect([text.includes("cookie: bob"), text.includes("stored: bob")]).toEqual([true, true]);
    await second.stack.stop();
  });
});

describe("with a key", () => {
  test(verifies("state.encrypted"), { timeout: 120_000 }, async () => {
    const first = await start({ key: "a key of our own" });
    await login(first.client, "sealed", "carol-the-first");
    fine(await first.client.call("browser_navigate", { workspaceId: "sealed", url: pages.url("/form") }));
    const inPage = `() => { document.getElementById("area").value = ["words", "of", "nobody"].join("+"); }`;
    fine(await first.client.call("browser_evaluate", { workspaceId: "sealed", function: inPage }));
    const { workers } = told<{ workers: { stateEncrypted: boolean }[] }>(await first.client.call("system_status"));
    expect(workers.map(({ stateEncrypted }) => stateEncrypted)).toEqual([true]);
    told(await first.client.call("system_quit"));
    await first.stack.stack.closed;
    expect(filesNaming(first.stack.stateDir, "words+of+nobody")).toEqual([]);

    // Without the key nothing of it can be had, and what is done meanwhile does not take its place.
    const locked = await start({ stateDir: first.stack.stateDir });
    const report = await restoreOf(locked.client, "sealed");
    expect(report.items).toContainEqual(expect.objectContaining({ what: "profile", state: "not_restored" }));
    expect(JSON.stringify(report.items)).toContain("HOLDFAST_STATE_KEY");
    expect(await whoIs(locked.client, "sealed")).toContain("cookie: nobody");
    told(await locked.client.call("system_quit"));
    await locked.stack.stack.closed;

    const back = await start({ stateDir: first.stack.stateDir, key: "a key of our own" });
    await restoreOf(back.client, "sealed");
    expect(await whoIs(back.client, "sealed")).toContain("cookie: carol-the-first");
    await back.stack.stop();
  });

  test(verifies("state.unreadable-is-kept"), { timeout: 120_000 }, async () => {
    const first = await start({ key: "the right one" });
    await login(first.client, "locked", "dan");
    told(await first.client.call("system_quit"));
    await first.stack.stack.closed;
    for (let run = 0; run < 2; run += 1) {
      const wrong = await start({ stateDir: first.stack.stateDir, key: "a wrong one" });
      await restoreOf(wrong.client, "locked");
      await login(wrong.client, "locked", "somebody-else");
      // Else the page that logs in would be loaded again, and would do so again.
      fine(await wrong.client.call("browser_navigate", { workspaceId: "locked", url: pages.url("/a") }));
      await waitForSave(wrong.stack, "locked", "aside");
      await wrong.stack.stop();
    }
    const right = await start({ stateDir: first.stack.stateDir, key: "the right one" });
    const { items } = await restoreOf(right.client, "locked");
    expect(items).toContainEqual(expect.objectContaining({ what: "profile", id: "default", state: "verified" }));
    expect(await whoIs(right.client, "locked")).toContain("cookie: dan");
    await right.stack.stop();
  });
});

describe("a login check", () => {
  const open = (workspaceId: string, user: string) => ({
    workspaceId,
    profiles: [
      {
        profileId: "default",
        displayName: "Ann of the shop",
        loginCheck: { url: pages.url("/whoami"), text: `cookie: ${user}` },
      },
    ],
  });

  interface Told {
    readonly profiles: { displayName?: string; login: { state: string; at: string | null; reason: string } }[];
    readonly taskTarget: { url: string; taskId: string } | null;
  }

  test(verifies("state.login-check"), { timeout: 120_000 }, async () => {
    const first = await start();
    for (const [workspaceId, user] of [
      ["seen", "ann"],
      ["unseen", "somebody-else"],
    ] as const) {
      told(await first.client.call("project_open", open(workspaceId, user)));
      await login(first.client, workspaceId, "ann");
    }
    const asleep = told<Told>(await first.client.call("project_status", { workspaceId: "seen" }));
    expect(asleep.profiles[0]?.login).toMatchObject({ state: "not_checked", at: null });
    told(await first.client.call("system_quit"));
    await first.stack.stack.closed;

    const second = await start({ stateDir: first.stack.stateDir });
    const looked = async (workspaceId: string): Promise<[string | undefined, string | undefined]> => {
      const { items } = await restoreOf(second.client, workspaceId);
      const status = told<Told>(await second.client.call("project_status", { workspaceId }));
      return [items.find(({ what }) => what === "profile")?.state, status.profiles[0]?.login.state];
    };
    expect(await looked("seen")).toEqual(["verified", "logged_in"]);
    expect(await looked("unseen")).toEqual(["restored_unverified", "not_logged_in"]);
    // A visitor of no name has a cookie of the same name: what was verified is not overwritten by it.
    const anonymous = "() => { document.cookie = 'user=nobody; Path=/'; }";
    fine(await second.client.call("browser_evaluate", { workspaceId: "unseen", function: anonymous }));
    await waitForSave(second.stack, "unseen");
    const { profiles } = await savedIn(second.stack, "unseen");
    expect(JSON.stringify(profiles[0]?.storage)).toContain('"value":"ann"');
    // The look was no tab, and moved nothing.
    expect(await tabsOf(second.client, "seen")).toHaveLength(1);
    await second.stack.stop();
  });

  test(verifies("state.three-facts"), { timeout: 60_000 }, async () => {
    const { stack, client } = await start();
    told(await client.call("project_open", open("facts", "ann")));
    await login(client, "facts", "eve");
    const work = await nextTask(client, "facts");
    const { profiles, taskTarget } = told<Told>(await client.call("project_status", { workspaceId: "facts" }));
    expect(profiles[0]).toMatchObject({ displayName: "Ann of the shop", login: { state: "not_checked" } });
    expect(taskTarget).toMatchObject({ taskId: work.taskId, url: pages.url("/login?user=eve") });
    await stopOf(client, work);
    await stack.stop();
  });
});

describe("the tabs that remain", () => {
  test(verifies("state.which-tabs-remain"), { timeout: 120_000 }, async () => {
    const first = await start();
    const { client } = first;
    const ids = await projectAt(client, "remain", [pages.url("/a"), pages.url("/b")]);
    const now = async (of: Client) => (await tabsOf(of, "remain")).map(({ tabId, url }) => [tabId, url]);
    const before = await now(client);

    const failed = await nextTask(client, "remain");
    expect((await failed.call("browser_click", { target: "#none", timeoutMs: 200 })).ok).toBe(false);
    told(await failed.call("task_finish", { state: "failed" }));
    expect(await now(client)).toEqual(before);

    const stopped = await nextTask(client, "remain");
    const slow = stopped.call("browser_wait_for", { time: 30, operationId: "slow" });
    await until(
      async () => (await statusOf(client, "remain")).operations.some(({ outcome }) => outcome === "running"),
      {
        deadlineMs: 10_000,
        why: "the wait is under way",
      },
    );
    told(await client.call("task_cancel", { workspaceId: "remain", operationId: "slow" }));
    expect((await slow).code).toBe("MCP_STOPPED");
    expect(await now(client)).toEqual(before);
    await stopOf(client, stopped);
    expect(await now(client)).toEqual(before);

    told(await client.call("system_quit"));
    await first.stack.stack.closed;
    const second = await start({ stateDir: first.stack.stateDir });
    await restoreOf(second.client, "remain");
    expect(await now(second.client)).toEqual(before);
    expect(tabOf(fine(await second.client.call("browser_snapshot", { workspaceId: "remain" })))).toBe(ids[0]);
    await second.stack.stop();
  });
});
