import { until } from "@holdfast/testkit";
import { describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { inShort, record, recorded, type StepTold, stepsOf, stopRecording, withStage } from "../support/recordings.js";
import { openTab, projectAt } from "../support/scene.js";
import { fine, SOON_MS, told } from "../support/work.js";

const stage = withStage();
const done = ({ action }: StepTold): boolean => !["tab_opened", "navigate"].includes(action.do);

describe("a recording", () => {
  test(verifies("recording.across-tabs"), async () => {
    const start = stage.url(`/flow?popup=${encodeURIComponent(stage.otherUrl("/flow/popup"))}`);
    const [main] = await projectAt(stage.client(), "across", [start]);
    await record(stage.client(), "across");
    const page = await stage.person().page(start);
    await page.click("#go");
    const popup = await stage.person().page(stage.otherUrl("/flow/popup"));
    await popup.click("#code");
    await popup.type("1234");
    await popup.click("#done");
    await recorded(stage.client(), "across", ({ action }) => action.do === "tab_closed", "the popup is closed");
    await page.click("#after");
    await page.type("later");
    await recorded(
      stage.client(),
      "across",
      ({ action }) => JSON.stringify(action.value) === '{"text":"later"}',
      "typed",
    );
    const stopped = await stopRecording(stage.client(), "across");
    const steps = await stepsOf(stage.client(), "across");
    expect(inShort(steps)).toEqual([
      "click go",
      "tab_opened",
      "tab_switched",
      "click code",
      "fill code 1234",
      "click done",
      "tab_closed",
      "tab_switched",
      "click after",
      "fill after later",
    ]);
    const opened = steps[1]?.tabId;
    expect(steps[1]?.action).toMatchObject({ openerTabId: main });
    expect(steps.slice(1, 7).map(({ tabId }) => tabId)).toEqual(Array.from({ length: 6 }, () => opened));
    expect(steps[2]?.action).toMatchObject({ from: main });
    expect(stopped.completeness).toMatchObject({ complete: true, gaps: [], refused: 0, documents: 2 });
    expect(stopped.completeness.tabs.map(({ tabId }) => tabId).sort()).toEqual([main, opened].sort());
  });

  test(verifies("recording.open-page"), async () => {
    await projectAt(stage.client(), "open", [stage.url("/form")]);
    const page = await stage.person().page(stage.url("/form"));
    await page.read("window.stays = 1");
    const loads = stage.pages().requests.length;
    await record(stage.client(), "open");
    await page.click("#text");
    await page.type("hello");
    await recorded(stage.client(), "open", ({ action }) => action.do === "fill", "the typing is recorded");
    expect(await page.read("window.stays")).toBe(1);
    expect(stage.pages().requests.length).toBe(loads);
    const { completeness } = await stopRecording(stage.client(), "open");
    expect(completeness).toMatchObject({ complete: true, documents: 1, injections: 1 });
    expect(inShort(await stepsOf(stage.client(), "open"))).toEqual(["click text", "fill text hello"]);
  });

  test(verifies("recording.person"), async () => {
    await projectAt(stage.client(), "person", [stage.url("/flow/all")]);
    await record(stage.client(), "person");
    const page = await stage.person().page(stage.url("/flow/all"));
    await page.click("#text");
    await page.type("ab");
    await page.press("Tab");
    await page.click("#lines");
    await page.type("one");
    await page.press("Enter");
    await page.type("two");
    await page.click("#twice", { times: 2 });
    await page.drag("#from", "#to");
    await page.press("Escape");
    await page.press("k", { control: true });
    await page.click("#query");
    await page.type("find");
    await page.press("Enter");
    await recorded(stage.client(), "person", ({ action }) => action.do === "navigate", "the form is sent");
    await stopRecording(stage.client(), "person");
    const steps = await stepsOf(stage.client(), "person");
    expect(inShort(steps).slice(0, -1)).toEqual([
      "click text",
      "fill text ab",
      "key text Tab",
      "click lines",
      "fill lines one\ntwo",
      "click twice",
      "drag from",
      "key Escape",
      "key Control+K",
      "click query",
      "fill query find",
      "key query Enter",
    ]);
    expect(steps.find(({ action }) => action.do === "click" && action.double === true)).toBeDefined();
    expect(steps.at(-1)?.action).toMatchObject({ do: "navigate", how: "page" });
    const [click] = steps;
    expect(click?.action.target).toMatchObject({
      locators: [
        { by: "testId", value: "the-text" },
        { by: "role", role: "textbox", name: "Text" },
        { by: "label" },
        { by: "css" },
      ],
      element: { tag: "input", name: "Text" },
    });
  });

  test(verifies("recording.person", "choices and dialogs, in a frame of another site"), async () => {
    const frame = stage.url(`/frame?src=${encodeURIComponent(stage.otherUrl("/form"))}`);
    await projectAt(stage.client(), "frames", [frame]);
    await record(stage.client(), "frames");
    const page = await stage.person().page(frame);
    const inside = await stage.person().frame(page, stage.otherUrl("/form"));
    await inside.click("#check");
    await inside.click("input[value=blue]");
    await inside.click("#select");
    await inside.press("ArrowDown");
    await inside.press("Enter");
    await recorded(stage.client(), "frames", ({ action }) => action.do === "select", "the choice is recorded");
    await stopRecording(stage.client(), "frames");
    const steps = await stepsOf(stage.client(), "frames");
    expect(inShort(steps)).toEqual(["check check true", "check true", "select select 2"]);
    expect(steps[0]?.action.target).toMatchObject({ frame: [{ url: stage.otherUrl("/form"), index: 0 }] });
  });

  test(verifies("recording.secrets"), async () => {
    await projectAt(stage.client(), "secrets", [stage.url("/flow/all")]);
    await record(stage.client(), "secrets");
    const page = await stage.person().page(stage.url("/flow/all"));
    await page.click("#card");
    await page.type("4111");
    await page.click("#otp");
    await page.type("987654");
    await page.goto(stage.url("/log"));
    const login = await stage.person().page(stage.url("/log"));
    await login.click("#secret");
    await login.type("hunter2");
    // A page can show what is in it: it stays a secret.
    await login.read("document.getElementById('secret').type = 'text'");
    await login.type("X");
    await login.click("#open");
    await login.type("seen");
    await recorded(
      stage.client(),
      "secrets",
      ({ action }) => JSON.stringify(action.value) === '{"text":"seen"}',
      "typed",
    );
    await stopRecording(stage.client(), "secrets");
    const steps = await stepsOf(stage.client(), "secrets");
    expect(inShort(steps).filter((step) => step.startsWith("fill"))).toEqual([
      "fill card <card>",
      "fill otp <otp>",
      "fill secret <secret>",
      "fill open seen",
    ]);
    expect(JSON.stringify(steps)).not.toMatch(/4111|987654|hunter2/);
  });

  test(verifies("recording.survives"), async () => {
    await projectAt(stage.client(), "survives", [stage.url("/flow/button?id=one")]);
    await record(stage.client(), "survives");
    let page = await stage.person().page(stage.url("/flow/button?id=one"));
    await page.click("#one");
    await page.reload();
    await recorded(stage.client(), "survives", ({ action }) => action.how === "reload", "the reload is recorded");
    await page.click("#one");
    await page.goto(stage.otherUrl("/flow/button?id=two"));
    page = await stage.person().page(stage.otherUrl("/flow/button?id=two"));
    await page.click("#two");
    await page.back();
    page = await stage.person().page(stage.url("/flow/button?id=one"));
    await recorded(stage.client(), "survives", ({ action }) => action.how === "history", "going back is recorded");
    await page.click("#one");
    await until(async () => (await stepsOf(stage.client(), "survives")).length === 7, {
      deadlineMs: SOON_MS,
      why: "all is there",
    });
    const { completeness } = await stopRecording(stage.client(), "survives");
    expect(completeness).toMatchObject({ complete: true, documents: 4, gaps: [] });
    expect((await stepsOf(stage.client(), "survives")).map(({ action }) => action.how ?? action.do)).toEqual([
      "click",
      "reload",
      "click",
      "asked",
      "click",
      "history",
      "click",
    ]);
  });

  test(verifies("recording.isolated"), async () => {
    const urls = { left: stage.url("/form?of=left"), right: stage.url("/form?of=right") };
    for (const [workspaceId, url] of Object.entries(urls)) {
      await projectAt(stage.client(), workspaceId, [url]);
      await record(stage.client(), workspaceId);
    }
    const [left, right] = [await stage.person().page(urls.left), await stage.person().page(urls.right)];
    await Promise.all([left.click("#text"), right.click("#area")]);
    await Promise.all([left.type("left"), right.type("right")]);
    for (const [workspaceId, field] of [["left", "text"] as const, ["right", "area"] as const]) {
      await recorded(
        stage.client(),
        workspaceId,
        ({ action }) => JSON.stringify(action.value) === `{"text":"${workspaceId}"}`,
        "typed",
      );
      await stopRecording(stage.client(), workspaceId);
      expect(inShort(await stepsOf(stage.client(), workspaceId))).toEqual([
        `click ${field}`,
        `fill ${field} ${workspaceId}`,
      ]);
    }
  });

  test(verifies("recording.one-at-a-time"), async () => {
    await projectAt(stage.client(), "single", [stage.url("/a")]);
    const first = await record(stage.client(), "single", "first");
    expect(await record(stage.client(), "single", "first")).toMatchObject({ recordingId: "first", state: first.state });
    const second = await stage.client().call("recording_start", { workspaceId: "single", recordingId: "second" });
    expect(second).toMatchObject({ ok: false, code: "MCP_RECORDING_RUNNING" });
    expect(second.meta.error?.details).toMatchObject({ recordingId: "first" });
    await stopRecording(stage.client(), "single");
    expect((await stopRecording(stage.client(), "single")).state).toBe("stopped");
    expect((await record(stage.client(), "single", "second")).state).toBe("recording");
    const stranger = await stage.client().call("recording_get", { workspaceId: "single", recordingId: "third" });
    expect(stranger.code).toBe("MCP_RECORDING_NOT_FOUND");
    await stopRecording(stage.client(), "single");
  });

  test(verifies("recording.lists"), async () => {
    await projectAt(stage.client(), "lists", [stage.url("/list")]);
    await record(stage.client(), "lists", "older");
    await stopRecording(stage.client(), "lists");
    await record(stage.client(), "lists", "newer");
    const page = await stage.person().page(stage.url("/list"));
    // More than one chunk holds, on elements that alternate.
    for (let times = 0; times < 60; times += 1) await page.click(`#row-${times % 2} button`);
    await until(async () => (await stepsOf(stage.client(), "lists")).length === 60, {
      deadlineMs: SOON_MS,
      why: "all clicks",
    });
    const part = told<{ steps: StepTold[]; next: number | null }>(
      await stage.client().call("recording_get", { workspaceId: "lists", from: 45, limit: 10 }),
    );
    expect([part.steps.length, part.next]).toEqual([10, 55]);
    const { recordings } = told<{ recordings: { recordingId: string }[] }>(
      await stage.client().call("recording_list", { workspaceId: "lists" }),
    );
    expect(recordings.map(({ recordingId }) => recordingId)).toEqual(["newer", "older"]);
    expect((await stopRecording(stage.client(), "lists")).steps).toBe(60);
  });

  test(verifies("recording.agent-apart"), async () => {
    await projectAt(stage.client(), "agent", [stage.url("/form")]);
    await record(stage.client(), "agent");
    const page = await stage.person().page(stage.url("/form"));
    await page.click("#area");
    const args = { workspaceId: "agent", target: "#text", text: "by the agent", operationId: "agents-own" };
    fine(await stage.client().call("browser_type", args));
    fine(
      await stage
        .client()
        .call("browser_navigate", { workspaceId: "agent", url: stage.url("/b"), operationId: "agents-way" }),
    );
    await recorded(stage.client(), "agent", ({ action }) => action.do === "navigate", "the navigation is recorded");
    await stopRecording(stage.client(), "agent");
    const steps = await stepsOf(stage.client(), "agent");
    expect(steps.map(({ action, cause }) => [action.do, cause])).toEqual([
      ["click", null],
      ["fill", "agents-own"],
      ["navigate", "agents-way"],
    ]);
  });

  test(verifies("recording.leaves-nothing"), async () => {
    await projectAt(stage.client(), "leaves", [stage.url("/flow/button?label=left")]);
    await record(stage.client(), "leaves");
    const page = await stage.person().page(stage.url("/flow/button?label=left"));
    await page.click("#press");
    await recorded(stage.client(), "leaves", done, "the click is recorded");
    const { steps } = await stopRecording(stage.client(), "leaves");
    await page.click("#press");
    await openTab(stage.client(), { workspaceId: "leaves", url: stage.url("/b") });
    expect(await page.read("Object.getOwnPropertySymbols(window).length")).toBe(0);
    expect((await stepsOf(stage.client(), "leaves")).length).toBe(steps);
    const pressed = (): boolean =>
      stage.pages().requests.filter(({ url }) => url.endsWith("/flow/note?pressed=left")).length === 2;
    await until(pressed, { deadlineMs: SOON_MS, why: "the page heard both clicks" });
  });
});
