import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PageServer, startPageServer, startTestStack, type TestStack } from "@holdfast/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { drafted, restoreOf } from "../support/kept.js";
import { openTab, projectAt, tabsOf } from "../support/scene.js";
import { ROOT } from "../support/sources.js";
import { type Client, fine, statusOf, told } from "../support/work.js";

const KEY = "the key of both places";
const DRAFT = "a draft that travels";

let pages: PageServer;
let here: TestStack;
let there: TestStack;
let strange: TestStack;
let client: Client;
let folder: string;
let file: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hf-moved-"));
  file = join(folder, "shop.json");
  pages = await startPageServer();
  here = await startTestStack({ env: { HOLDFAST_STATE_KEY: KEY } });
  client = await here.client();
  await projectAt(client, "shop", [pages.url("/login?user=ann")]);
  fine(await client.call("browser_navigate", { workspaceId: "shop", url: pages.url("/form") }));
  fine(await client.call("browser_type", { workspaceId: "shop", target: "#text", text: DRAFT }));
  await openTab(client, { workspaceId: "shop", url: pages.url("/b") });
  told(await client.call("project_memory", { workspaceId: "shop", action: "set", key: "to", value: "buy" }));
  cli(here, ["export", "shop", file]);
  there = await startTestStack({ env: { HOLDFAST_STATE_KEY: KEY } });
  strange = await startTestStack();
}, 120_000);

afterAll(async () => {
  for (const stack of [here, there, strange]) await stack?.stop();
  await pages?.close();
  rmSync(folder, { recursive: true, force: true });
});

function cli({ stateDir }: TestStack, args: readonly string[]): string {
  const program = join(ROOT, "packages/cli/dist/main.js");
  return execFileSync(process.execPath, [program, ...args, "--state", stateDir], { encoding: "utf8" });
}

async function whoIs(of: Client, workspaceId: string): Promise<string> {
  fine(await of.call("browser_navigate", { workspaceId, url: pages.url("/whoami") }));
  return fine(await of.call("browser_snapshot", { workspaceId })).text;
}

describe("an exported project", () => {
  test(verifies("state.moves"), async () => {
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(readFileSync(file, "utf8")).not.toContain(DRAFT);
    const other = await there.client();
    // Ids that are taken there already, by another project.
    await projectAt(other, "before", [pages.url("/c"), pages.url("/c")]);
    cli(there, ["import", file, "shop"]);
    const status = await statusOf(other, "shop");
    expect(status.memory).toEqual({ to: "buy" });
    expect(status.tabs.map(({ url }) => url)).toEqual([pages.url("/form"), pages.url("/b")]);
    const taken = (await tabsOf(other, "before")).map(({ tabId }) => tabId);
    expect(status.tabs.some(({ tabId }) => taken.includes(tabId))).toBe(false);
    expect(status.cursor?.tabId).toBe(status.tabs[0]?.tabId);
    expect(await drafted(other, "shop", ["text"])).toEqual([DRAFT]);
    expect(await whoIs(other, "shop")).toContain("cookie: ann");
    const { items } = await restoreOf(other, "shop");
    expect(items).toContainEqual(expect.objectContaining({ what: "profile", state: "verified" }));
  });

  test(verifies("state.import-is-checked"), async () => {
    const packed = JSON.parse(readFileSync(file, "utf8")) as { tabs: { url: string }[] };
    const forged = join(folder, "forged.json");
    const tabs = packed.tabs.map((tab) => ({ ...tab, url: "file:///etc/passwd" }));
    writeFileSync(forged, JSON.stringify({ ...packed, tabs }));
    const other = await there.client();
    cli(there, ["import", forged, "forged"]);
    expect((await other.call("browser_snapshot", { workspaceId: "forged" })).code).toBe("MCP_URL_DENIED");
  });

  test(verifies("state.moves-with-the-key"), async () => {
    const other = await strange.client();
    cli(strange, ["import", file, "shop"]);
    expect(await whoIs(other, "shop")).toContain("cookie: nobody");
    const { items } = await restoreOf(other, "shop");
    const refused = items.find(({ state }) => state === "not_restored");
    expect(refused?.reason).toContain("HOLDFAST_STATE_KEY");
  });

  test(verifies("state.import-takes-nobodys-place"), async () => {
    const before = await statusOf(client, "shop");
    const exported = told<{ artifact: { name: string }; encrypted: boolean }>(
      await client.call("project_export", { workspaceId: "shop" }),
    );
    expect(exported.encrypted).toBe(true);
    const again = await client.call("project_import", { workspaceId: "shop", artifact: exported.artifact.name });
    expect(again.code).toBe("MCP_PROJECT_EXISTS");
    expect((await client.call("project_import", { workspaceId: "other", text: "{}" })).code).toBe("MCP_BAD_ARGUMENTS");
    const after = await statusOf(client, "shop");
    expect([after.cursor, after.tabs, after.memory]).toEqual([before.cursor, before.tabs, before.memory]);
  });

  test(verifies("state.says-so"), async () => {
    const encrypted = async (of: TestStack): Promise<boolean[]> => {
      const status = await (await of.client()).call("system_status");
      return told<{ workers: { stateEncrypted: boolean }[] }>(status).workers.map((worker) => worker.stateEncrypted);
    };
    expect(await encrypted(here)).toEqual([true]);
    expect(await encrypted(strange)).toEqual([false]);
    expect(cli(here, ["doctor"])).toContain("saved profiles are encrypted");
    expect(cli(strange, ["doctor"])).toContain("saved profiles are not encrypted");
  });
});
