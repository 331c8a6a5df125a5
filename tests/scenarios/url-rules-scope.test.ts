import { connectBus, followFacts } from "@holdfast/bus";
import type { Fact } from "@holdfast/protocol";
import { startTestStack, until } from "@holdfast/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { type BadSite, startBadSite } from "../support/bad-site.js";
import { deniedIn, inPage, put, type Ruled, ruledProject } from "../support/ruled.js";
import { projectAt, tabsOf, withScene } from "../support/scene.js";
import { fine, told } from "../support/work.js";

const { stack, client, url, pages } = withScene();
let bad: BadSite;

beforeAll(async () => {
  bad = await startBadSite();
});
afterAll(() => bad?.close());

const ruled = (workspaceId: string, rules: Record<string, unknown>): Promise<Ruled> =>
  ruledProject(client(), workspaceId, { home: url(`/a?m=${workspaceId}`), rules });
const here = (): string => new URL(pages().origin).host;
const asked = (path: string): number => pages().requests.filter(({ url: seen }) => seen.includes(path)).length;

describe("rules", () => {
  test(verifies("rules.allow"), async () => {
    const project = await ruled("allow", { allow: [here()] });
    fine(await project.call("browser_navigate", { url: url("/b") }));
    for (const to of [`${bad.origin}/allow`, `https://${bad.host}/allow`, `${pages().otherOrigin}/allow-other`]) {
      expect((await project.call("browser_navigate", { url: to })).code).toBe("MCP_URL_DENIED");
    }
    const script = `return await fetch("${bad.origin}/fetched").then(() => "got", () => "failed");`;
    expect(fine(await project.call("browser_evaluate", inPage(script))).text).toContain("failed");
    expect([bad.heard, asked("allow-other")]).toEqual([[], 0]);
  });

  test(verifies("rules.path"), async () => {
    const project = await ruled("path", { deny: [`${here()}/hit`, "localhost/c"] });
    for (const path of ["/hit?path", "/%68it?path", `/redir?to=${encodeURIComponent("/hit?path")}`]) {
      expect((await project.call("browser_navigate", { url: url(path) })).code).toBe("MCP_URL_DENIED");
    }
    const inside = `${pages().otherOrigin}/redir?to=${encodeURIComponent("/c?inside")}`;
    fine(
      await project.call("browser_navigate", {
        url: url(`/frame?src=${encodeURIComponent(`${pages().otherOrigin}/b`)}`),
      }),
    );
    fine(await project.call("browser_click", { target: "iframe >> internal:control=enter-frame >> #press" }));
    const go = { function: `() => { document.querySelector("iframe").src = ${JSON.stringify(inside)}; }` };
    const answer = fine(await project.call("browser_evaluate", go));
    await until(
      async () =>
        deniedIn(answer).length > 0 ||
        deniedIn(await project.call("browser_evaluate", put("x"))).length > 0 ||
        asked("/redir") > 1,
      {
        deadlineMs: 5_000,
        why: "the frame's redirect is judged",
      },
    );
    fine(await project.call("browser_navigate", { url: url("/b?beside") }));
    expect([asked("/hit?path"), asked("/c?inside")]).toEqual([0, 0]);
  });

  test(verifies("rules.other-project"), async () => {
    await ruled("mine", { deny: ["localhost"] });
    const other = `${pages().otherOrigin}/b?m=others`;
    expect((await client().call("browser_navigate", { workspaceId: "mine", url: other })).code).toBe("MCP_URL_DENIED");
    const [tabId] = await projectAt(client(), "theirs", [other]);
    expect((await tabsOf(client(), "theirs")).map((tab) => [tab.tabId, tab.url])).toEqual([[tabId, other]]);
  });

  test(verifies("rules.search-engine"), async () => {
    const project = await ruled("searches", { deny: ["search-engines"] });
    for (const to of ["https://www.google.com/search?q=x", "www.bing.com/search?q=x", "http://duckduckgo.com"]) {
      expect((await project.call("browser_navigate", { url: to })).code).toBe("MCP_URL_DENIED");
    }
    const word = await project.call("browser_navigate", { url: "weather" });
    expect([word.code, word.meta.error?.retry]).toEqual(["MCP_BAD_ARGUMENTS", "never"]);
  });
});

describe("rules that change", () => {
  test(verifies("rules.at-once"), async () => {
    const home = url("/count?id=at-once&every=100");
    const [t1 = "", t2 = ""] = await projectAt(client(), "at-once", [url("/login?user=ann"), home]);
    const call = (tool: string, args: Record<string, unknown> = {}) =>
      client().call(tool, { workspaceId: "at-once", ...args });
    const set = told<{ holds: string }>(
      await client().call("project_rules", { workspaceId: "at-once", deny: [bad.host] }),
    );
    expect(set.holds).toBe("at_once");
    for (const tabId of [t1, t2]) {
      const socket = `return await new Promise((resolve) => { const one = new WebSocket("ws://${bad.host}/"); one.onerror = () => resolve("failed"); one.onopen = () => resolve("open"); });`;
      expect(fine(await call("browser_evaluate", { tabId, ...inPage(socket) })).text).toContain("failed");
      expect((await call("browser_navigate", { tabId, url: bad.origin })).code).toBe("MCP_URL_DENIED");
    }
    expect(fine(await call("browser_navigate", { tabId: t1, url: url("/whoami"), snapshot: "full" })).text).toMatch(
      /cookie: ann[\s\S]*stored: ann/,
    );
    expect((await tabsOf(client(), "at-once")).map((tab) => tab.tabId)).toEqual([t1, t2]);
    expect(bad.heard).toEqual([]);
    told(await client().call("project_rules", { workspaceId: "at-once", deny: [] }));
    fine(await call("browser_navigate", { url: `${bad.origin}/allowed-again` }));
    expect(bad.heard.join()).toContain("GET /allowed-again");
  });

  test(verifies("rules.facts"), async () => {
    const bus = await connectBus({ url: stack().endpoint.natsUrl, name: "test" });
    const seen: Fact[] = [];
    const following = await followFacts(bus, { workspaceId: "facts" }, ({ fact }) => void seen.push(fact));
    const project = await ruled("facts", { deny: ["denied.example"] });
    const answer = await project.call("browser_navigate", {
      url: "https://denied.example/path?secret=word",
      operationId: "op-facts",
    });
    expect(answer.code).toBe("MCP_URL_DENIED");
    const denied = (): Fact[] => seen.filter((fact) => fact.fact === "url.denied");
    await until(() => denied().length > 0, { deadlineMs: 5_000, why: "the denial is told" });
    expect(denied()).toEqual([
      {
        fact: "url.denied",
        tabId: null,
        url: "https://denied.example/path",
        rule: "project denies denied.example",
        operationId: "op-facts",
      },
    ]);
    await following.stop();
    await bus.drain();
  });
});

describe("the stack's rules", () => {
  test(verifies("rules.stack"), async () => {
    const env = { HOLDFAST_URL_RULES: JSON.stringify({ deny: [bad.host] }) };
    const other = await startTestStack({ env });
    try {
      const by = await other.client();
      told(await by.call("project_open", { workspaceId: "any" }));
      told(await by.call("project_rules", { workspaceId: "any", allow: ["*"] }));
      const before = bad.heard.length;
      const answer = await by.call("browser_navigate", { workspaceId: "any", url: `${bad.origin}/stack` });
      expect([answer.code, answer.text]).toEqual([
        "MCP_URL_DENIED",
        expect.stringContaining(`stack denies ${bad.host}`),
      ]);
      fine(await by.call("browser_navigate", { workspaceId: "any", url: url("/a") }));
      expect(bad.heard.length).toBe(before);
    } finally {
      await other.stop();
    }
  });
});
