import { until } from "@holdfast/testkit";
import { describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { inPage, put } from "../support/ruled.js";
import { openTab, projectAt, tabsOf, withScene } from "../support/scene.js";
import { fine, told } from "../support/work.js";

const { client, url, pages } = withScene();

/** Counts in each document how often it ran there, and tells what it found: kept by the document, as a page would see it. */
const COUNT = `document.ran = (document.ran ?? 0) + 1; document.foundBody = document.body !== null;
  window.order = [...(window.order ?? []), "project"];
  document.addEventListener("DOMContentLoaded", () => document.body.append(" ran " + document.ran + " in " + location.host));`;
const scripts = [{ name: "count", script: COUNT }];
const REPORT = "(document.ran ?? 0) + (document.foundBody ? ' late' : '')";

const at =
  (workspaceId: string) =>
  (tool: string, args: Record<string, unknown> = {}) =>
    client().call(tool, { workspaceId, ...args });

async function scripted(
  workspaceId: string,
  set: Record<string, unknown> = { scripts },
): Promise<ReturnType<typeof at>> {
  told(await client().call("project_open", { workspaceId }));
  told(await client().call("project_scripts", { workspaceId, ...set }));
  return at(workspaceId);
}

/** What the script left in a document. */
async function reportOf(call: ReturnType<typeof at>, tabId?: string): Promise<unknown> {
  const answer = fine(await call("browser_evaluate", { function: `() => ${REPORT}`, ...(tabId ? { tabId } : {}) }));
  return JSON.parse(answer.text.split("\n")[1] ?? "null");
}

describe("a project's scripts", () => {
  test(verifies("scripts.every-document"), async () => {
    const call = await scripted("every");
    await projectAt(client(), "every", [url("/a")]);
    expect(await reportOf(call)).toBe("1");
    fine(await call("browser_navigate", { url: `${pages().otherOrigin}/b` }));
    expect(await reportOf(call)).toBe("1");
    const frames = { same: url("/c"), other: `${pages().otherOrigin}/c`, blank: "about:blank" };
    fine(await call("browser_navigate", { url: url("/a") }));
    for (const [name, source] of Object.entries(frames)) {
      fine(
        await call(
          "browser_evaluate",
          inPage(
            `await new Promise((resolve) => { const frame = document.createElement("iframe"); frame.name = "${name}"; frame.src = "${source}"; frame.onload = resolve; document.body.append(frame); });`,
          ),
        ),
      );
    }
    const posted = inPage(
      `return [...document.querySelectorAll("iframe")].map((frame) => { try { return [frame.name, frame.contentDocument.ran]; } catch { return [frame.name, "foreign"]; } });`,
    );
    expect(fine(await call("browser_evaluate", posted)).text).toContain('[["same",1],["other","foreign"],["blank",1]]');
    const seen = fine(await call("browser_snapshot")).text;
    expect(seen).toContain(`ran 1 in ${new URL(pages().otherOrigin).host}`);
    await call(
      "browser_evaluate",
      put(
        `<a id="named" target="named" href="/b">named</a><a id="rel" target="_blank" rel="noopener" href="/b">rel</a><button id="blank" onclick="window.open('about:blank')">blank</button><button id="other" onclick="window.open('${pages().otherOrigin}/b')">other</button>`,
      ),
    );
    for (const target of ["#named", "#rel", "#blank", "#other"]) {
      const { newTabs } = fine(await call("browser_click", { target })).meta;
      const tabId = newTabs[0]?.tabId ?? "";
      await until(
        async () => (await tabsOf(client(), "every")).some((tab) => tab.tabId === tabId && tab.state === "ready"),
        { deadlineMs: 5_000, why: `${target} is ready` },
      );
      // A window of the same origin hands its global on, so what runs there can be late; elsewhere it comes first.
      const first = target === "#rel" || target === "#other";
      expect([target, await reportOf(call, tabId)]).toEqual([target, first ? "1" : expect.stringMatching(/^1/)]);
    }
    const tab = await openTab(client(), { workspaceId: "every", url: url("/form") });
    expect(await reportOf(call, tab)).toBe("1");
  });

  test(verifies("scripts.first"), async () => {
    const call = await scripted("first");
    const page = `data:text/html,<script>window.order = [...(window.order || []), "page"]</script><p>x</p>`;
    fine(await call("browser_navigate", { url: page }));
    expect(fine(await call("browser_evaluate", { function: "() => window.order" })).text).toContain(
      '["project","page"]',
    );
  });

  test(verifies("scripts.open-pages"), async () => {
    const [t1 = "", t2 = ""] = await projectAt(client(), "open", [url("/form"), `${pages().otherOrigin}/frame?src=/c`]);
    const call = at("open");
    fine(await call("browser_type", { tabId: t1, target: "#text", text: "kept" }));
    const before = pages().requests.length;
    for (const _again of [1, 2]) told(await client().call("project_scripts", { workspaceId: "open", scripts }));
    expect([await reportOf(call, t1), await reportOf(call, t2)]).toEqual(["1 late", "1 late"]);
    const frame = { tabId: t2, function: `() => document.querySelector("iframe").contentDocument.ran` };
    expect(fine(await call("browser_evaluate", frame)).text).toContain("\n1");
    expect(pages().requests.length).toBe(before);
    expect(
      fine(await call("browser_evaluate", { tabId: t1, function: "() => document.querySelector('#text').value" })).text,
    ).toContain("kept");
    fine(await call("browser_navigate", { tabId: t1, url: url("/a") }));
    expect(await reportOf(call, t1)).toBe("1");
  });

  test(verifies("scripts.styles"), async () => {
    const styles = [{ name: "big", css: "h1 { font-size: 77px !important; }" }];
    const size = { function: "() => getComputedStyle(document.querySelector('h1')).fontSize" };
    const call = await scripted("styles", { styles });
    fine(await call("browser_navigate", { url: url("/a") }));
    expect(fine(await call("browser_evaluate", size)).text).toContain("77px");
    const strict = `data:text/html,<meta http-equiv="Content-Security-Policy" content="default-src 'none'"><h1>x</h1>`;
    fine(await call("browser_navigate", { url: strict }));
    expect(fine(await call("browser_evaluate", size)).text).toContain("77px");
    const set = (css: string) =>
      client().call("project_scripts", { workspaceId: "styles", styles: [{ name: "big", css }] });
    for (const px of ["55px", "77px"]) {
      told(await set(`h1 { font-size: ${px} !important; }`));
      expect(fine(await call("browser_evaluate", size)).text).toContain(px);
    }
    told(await client().call("project_scripts", { workspaceId: "styles", styles: [] }));
    expect(fine(await call("browser_evaluate", size)).text).not.toContain("77px");
  });

  test(verifies("scripts.other-project"), async () => {
    const call = await scripted("mine");
    fine(await call("browser_navigate", { url: url("/a") }));
    await projectAt(client(), "not-mine", [url("/a")]);
    expect([await reportOf(call), await reportOf(at("not-mine"))]).toEqual(["1", "0"]);
  });

  test(verifies("scripts.taken-away"), async () => {
    const call = await scripted("away");
    fine(await call("browser_navigate", { url: url("/a") }));
    told(await client().call("project_scripts", { workspaceId: "away", scripts: [] }));
    fine(await call("browser_navigate", { url: url("/b") }));
    expect(await reportOf(call)).toBe("0");
    const many = Array.from({ length: 3 }, (_, i) => ({ name: `s${i}`, script: "x".repeat(200_000) }));
    expect((await client().call("project_scripts", { workspaceId: "away", scripts: many })).code).toBe(
      "MCP_BAD_ARGUMENTS",
    );
  });
});
