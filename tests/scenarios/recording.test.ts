import { until } from "@holdfast/testkit";
import { describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { inShort, record, recorded, stepsOf, stopRecording, withStage } from "../support/recordings.js";
import { projectAt } from "../support/scene.js";
import { SOON_MS } from "../support/work.js";

const stage = withStage();

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

  test(verifies("recording.final-values"), async () => {
    await projectAt(stage.client(), "final", [stage.url("/flow/all?m=final")]);
    await record(stage.client(), "final");
    const page = await stage.person().page(stage.url("/flow/all?m=final"));
    await page.click("#text");
    for (const part of ["ab", "c", "d"]) await page.type(part);
    await page.press("Tab");
    const filled = ({ action }: { action: { do: string } }): boolean => action.do === "fill";
    await recorded(stage.client(), "final", filled, "the field is filled");
    await stopRecording(stage.client(), "final");
    expect(inShort((await stepsOf(stage.client(), "final")).filter(filled))).toEqual(["fill text abcd"]);
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
});
