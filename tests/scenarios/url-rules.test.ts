import { type ToolAnswer, until } from "@holdfast/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { type BadSite, startBadSite } from "../support/bad-site.js";
import { deniedIn, inPage, put, type Ruled, ruledProject } from "../support/ruled.js";
import { cursorOf, tabsOf, withScene } from "../support/scene.js";
import { fine, told } from "../support/work.js";

const { client, url } = withScene();
let bad: BadSite;

beforeAll(async () => {
  bad = await startBadSite();
});
afterAll(() => bad?.close());

const ruled = (workspaceId: string): Promise<Ruled> =>
  ruledProject(client(), workspaceId, { home: url(`/a?m=${workspaceId}`), rules: { deny: [bad.host] } });

/** The answer is a denial with its rule, the bad site was not reached, and the page is where it was. */
async function isDenied(project: Ruled, answer: ToolAnswer, stays = true): Promise<void> {
  expect([answer.code, answer.text]).toEqual(["MCP_URL_DENIED", expect.stringContaining(`denies ${bad.host}`)]);
  expect(answer.meta.error?.details).toMatchObject({ rule: `project denies ${bad.host}` });
  expect(bad.heard).toEqual([]);
  if (!stays) return;
  const { target } = fine(await project.call("browser_snapshot")).meta;
  expect(target).toMatchObject({ tabId: project.tabId, url: project.home });
}

describe("a site that takes its visitor for a program", () => {
  test(verifies("rules.challenge"), async () => {
    const call = (tool: string, args: Record<string, unknown> = {}) =>
      client().call(tool, { workspaceId: "sorry", ...args });
    told(await client().call("project_open", { workspaceId: "sorry" }));
    const said = url("/sorry?status=403&header=cf-mitigated:challenge");
    for (const asked of [url(`/redir?to=${encodeURIComponent("/sorry?status=429")}`), said]) {
      const refused = await call("browser_navigate", { url: asked });
      expect([refused.code, refused.meta.error?.details]).toMatchObject(["MCP_PAGE_FAILED", { asked }]);
      const shown = fine(await call("browser_snapshot"));
      expect([shown.text, shown.meta.target?.url]).toEqual([
        expect.stringContaining("Are you a person?"),
        expect.stringContaining("/sorry"),
      ]);
    }
    expect((await call("browser_tabs", { action: "new", url: said })).code).toBe("MCP_PAGE_FAILED");
    // An error at the very address that was asked for is the page's own.
    expect(fine(await call("browser_navigate", { url: url("/sorry?status=429") })).text).toContain(
      "The server answered 429.",
    );
  });
});

describe("a denied address", () => {
  test(verifies("rules.typed"), async () => {
    const project = await ruled("typed");
    await isDenied(project, await project.call("browser_navigate", { url: `${bad.origin}/typed` }));
    await isDenied(project, await project.call("browser_tabs", { action: "new", url: `${bad.origin}/typed` }));
    await isDenied(project, await project.call("browser_navigate", { url: `https://${bad.host}/typed` }));
    expect(await tabsOf(client(), "typed")).toHaveLength(1);
  });

  test(verifies("rules.redirect"), async () => {
    const project = await ruled("redirect");
    const to = url(`/redir?to=${encodeURIComponent(`${bad.origin}/redirected`)}`);
    await isDenied(project, await project.call("browser_navigate", { url: to }));
    const twice = url(`/redir?to=${encodeURIComponent(to)}`);
    fine(await project.call("browser_evaluate", put(`<a id="twice" href="${twice}">twice</a>`)));
    await isDenied(project, await project.call("browser_click", { target: "#twice" }));
  });

  test(verifies("rules.link"), async () => {
    const project = await ruled("link");
    fine(await project.call("browser_evaluate", put(`<a id="link" href="${bad.origin}/link">link</a>`)));
    await isDenied(project, await project.call("browser_click", { target: "#link" }));
  });

  test(verifies("rules.form"), async () => {
    const project = await ruled("form");
    const form = `<form method="post" action="${bad.origin}/form"><input name="secret" value="word"><button id="send">send</button></form>`;
    fine(await project.call("browser_evaluate", put(form)));
    await isDenied(project, await project.call("browser_click", { target: "#send" }));
  });

  test(verifies("rules.window"), async () => {
    const project = await ruled("window");
    const redirected = url(`/redir?to=${encodeURIComponent(`${bad.origin}/window`)}`);
    for (const [id, to] of Object.entries({ straight: `${bad.origin}/window`, redirected })) {
      fine(
        await project.call(
          "browser_evaluate",
          put(
            `<button id="${id}" onclick="window.open('${to}')">open</button><a id="${id}-blank" target="_blank" href="${to}">blank</a>`,
          ),
        ),
      );
      await isDenied(project, await project.call("browser_click", { target: `#${id}` }));
      await isDenied(project, await project.call("browser_click", { target: `#${id}-blank` }));
    }
    await until(async () => (await tabsOf(client(), "window")).length === 1, {
      deadlineMs: 5_000,
      why: "no tab is left of the denied windows",
    });
    expect((await cursorOf(client(), "window"))?.tabId).toBe(project.tabId);
  });

  test(verifies("rules.script"), async () => {
    const project = await ruled("script");
    fine(
      await project.call(
        "browser_evaluate",
        put(`<button id="go" onclick="location = '${bad.origin}/go'">go</button>`),
      ),
    );
    await isDenied(project, await project.call("browser_click", { target: "#go" }));
    const leaves = url(`/leaves?to=${encodeURIComponent(`${bad.origin}/leaves`)}`);
    await isDenied(project, await project.call("browser_navigate", { url: leaves }), false);
  });

  test(verifies("rules.refresh"), async () => {
    const project = await ruled("refresh");
    const page = url(`/refresh?to=${encodeURIComponent(`${bad.origin}/refresh`)}`);
    await isDenied(project, await project.call("browser_navigate", { url: page }), false);
    expect(fine(await project.call("browser_snapshot")).meta.target?.url).toBe(page);
  });

  test(verifies("rules.frame"), async () => {
    const project = await ruled("frame");
    const framed = url(`/frame?src=${encodeURIComponent(`${bad.origin}/frame`)}`);
    const answers = [fine(await project.call("browser_navigate", { url: framed }))];
    const named = (): boolean =>
      answers.some((answer) => deniedIn(answer).some((one) => one.url === `${bad.origin}/frame`));
    await until(
      async () => {
        if (!named()) answers.push(fine(await project.call("browser_evaluate", { function: "() => document.title" })));
        return named();
      },
      { deadlineMs: 5_000, why: "an answer names the frame that was denied" },
    );
    const read = fine(
      await project.call("browser_evaluate", {
        function:
          "() => { try { return document.querySelector('iframe').contentDocument.body.textContent; } catch { return 'foreign'; } }",
      }),
    );
    expect(read.text).not.toContain("reached");
    const inside = url(
      `/frame?src=${encodeURIComponent(url(`/redir?to=${encodeURIComponent(`${bad.origin}/inside`)}`))}`,
    );
    fine(await project.call("browser_navigate", { url: inside }));
    fine(
      await project.call(
        "browser_evaluate",
        inPage(
          `await new Promise((resolve) => { const frame = document.createElement("iframe"); frame.src = "${bad.origin}/late"; document.body.append(frame); setTimeout(resolve, 300); });`,
        ),
      ),
    );
    expect(bad.heard).toEqual([]);
  });
});

describe("what is asked for beside a page", () => {
  const workerOf = (code: string): string =>
    `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: "text/javascript" })))`;
  const answerOf = (worker: string): Record<string, unknown> =>
    inPage(
      `const worker = ${worker}; return await new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); });`,
    );

  test(verifies("rules.worker"), async () => {
    const project = await ruled("worker");
    const fetched = (to: string): string =>
      `fetch("${to}", { mode: "no-cors" }).then(() => postMessage("got"), () => postMessage("failed"));`;
    expect(
      fine(await project.call("browser_evaluate", answerOf(workerOf(fetched(`${bad.origin}/worker`))))).text,
    ).toContain("failed");
    expect(fine(await project.call("browser_evaluate", answerOf(workerOf(fetched(url("/b")))))).text).toContain("got");
    expect(bad.heard).toEqual([]);
  });

  test(verifies("rules.socket"), async () => {
    const project = await ruled("socket");
    const code = `const socket = new WebSocket("ws://${bad.host}/socket"); socket.onopen = () => postMessage("open"); socket.onerror = () => postMessage("failed");`;
    expect(fine(await project.call("browser_evaluate", answerOf(workerOf(code)))).text).toContain("failed");
    const here = inPage(`return await new Promise((postMessage) => { ${code} });`);
    expect(fine(await project.call("browser_evaluate", here)).text).toContain("failed");
    const secure = inPage(`return await new Promise((postMessage) => { ${code.replace("ws:", "wss:")} });`);
    expect(fine(await project.call("browser_evaluate", secure)).text).toContain("failed");
    expect(bad.heard).toEqual([]);
  });

  test(verifies("rules.beside"), async () => {
    const project = await ruled("beside");
    const html = `<img src="${bad.origin}/picture"><link rel="stylesheet" href="${bad.origin}/style"><link rel="prefetch" href="${bad.origin}/prefetch">`;
    fine(await project.call("browser_evaluate", put(html)));
    const sent = inPage(
      `navigator.sendBeacon("${bad.origin}/beacon", "x"); await import("${bad.origin}/module").catch(() => 0); await new Promise((resolve) => { const script = document.createElement("script"); script.src = "${bad.origin}/script"; script.onerror = resolve; document.body.append(script); });`,
    );
    const answer = fine(await project.call("browser_evaluate", sent));
    expect(deniedIn(answer).map((one) => one.url)).toContain(`${bad.origin}/script`);
    expect(answer.text).toContain(`${bad.origin}/script`);
    expect(bad.heard).toEqual([]);
  });

  test(verifies("rules.name"), async () => {
    told(await client().call("project_open", { workspaceId: "name" }));
    told(await client().call("project_rules", { workspaceId: "name", deny: ["127.0.0.1"] }));
    for (const scheme of ["http", "https"]) {
      const to = { workspaceId: "name", url: `${scheme}://localhost:${bad.port}/name` };
      const answer = await client().call("browser_navigate", to);
      expect([answer.code, answer.text, bad.heard]).toEqual([
        "MCP_URL_DENIED",
        expect.stringContaining("127.0.0.1"),
        [],
      ]);
    }
  });
});
