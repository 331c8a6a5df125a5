import { until } from "@holdfast/testkit";
import { describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { ENDS, run, runIs, runOf, workshopOn } from "../support/programs.js";
import { record, recorded, stopRecording, withStage } from "../support/recordings.js";
import { projectAt } from "../support/scene.js";
import { SOON_MS, statusOf, told } from "../support/work.js";

const stage = withStage();
const { target, click, goTo, logSince, noted, save, begin } = workshopOn(stage);

/** Whether something that was asked of the browser was done. */
const YES_OR_NO = [(): boolean => true, (): boolean => false] as const;

describe("a program", () => {
  test(verifies("programs.same-log"), async () => {
    const start = stage.url(`/flow?popup=${encodeURIComponent(stage.otherUrl("/flow/popup"))}`);
    const before = stage.pages().requests.length;
    await projectAt(stage.client(), "recorded", [start]);
    await record(stage.client(), "recorded");
    const page = await stage.person().page(start);
    await page.click("#name");
    await page.type("Ada");
    await page.click("#go");
    const popup = await stage.person().page(stage.otherUrl("/flow/popup"));
    await popup.click("#code");
    await popup.type("1234");
    await popup.click("#done");
    await recorded(stage.client(), "recorded", ({ action }) => action.do === "tab_closed", "the popup is closed");
    await page.click("#after");
    await page.type("later");
    await page.click("#agree");
    await page.click("#send");
    await until(() => noted("sent=later") === 1, { deadlineMs: SOON_MS, why: "it is sent" });
    const { recordingId, completeness } = await stopRecording(stage.client(), "recorded");
    expect(completeness).toMatchObject({ complete: true, gaps: [] });
    const byPerson = logSince(before);
    expect(byPerson).toHaveLength(8);

    const fromRecording = { workspaceId: "recorded", fromRecording: recordingId, programId: "flow" };
    told(await stage.client().call("program_save", fromRecording));
    told(await stage.client().call("project_open", { workspaceId: "fresh" }));
    const between = stage.pages().requests.length;
    const { runId } = await run(stage.client(), { workspaceId: "fresh", programId: "flow", from: "recorded" });
    const ended = await runIs(stage.client(), "fresh", runId, ENDS);
    expect([ended.state, ended.waiting]).toEqual(["finished", null]);
    const all = (): boolean => logSince(between).length >= byPerson.length;
    // What is missing is told by the comparison.
    await until(all, { deadlineMs: SOON_MS, why: "the last request of the program has come" }).catch(() => undefined);
    expect(logSince(between), JSON.stringify(ended.results)).toEqual(byPerson);
    expect((await statusOf(stage.client(), "fresh")).cursor?.tabId).toBe(ended.tabs.main);
  });

  test(verifies("programs.dialog"), async () => {
    const start = stage.url("/dlg?kind=prompt");
    await projectAt(stage.client(), "asked", [start]);
    await record(stage.client(), "asked");
    const page = await stage.person().page(start);
    await page.raw("Page.enable");
    const clicked = page.click("#ask");
    const answer = { accept: true, promptText: "forty-two" };
    const answered = (): Promise<boolean> => page.raw("Page.handleJavaScriptDialog", answer).then(...YES_OR_NO);
    await until(answered, { deadlineMs: SOON_MS, why: "the dialog is answered" });
    await clicked;
    await recorded(stage.client(), "asked", ({ action }) => action.do === "dialog", "the answer is recorded");
    const { recordingId } = await stopRecording(stage.client(), "asked");
    const save = { workspaceId: "asked", fromRecording: recordingId, programId: "answer" };
    told(await stage.client().call("program_save", save));
    told(await stage.client().call("project_open", { workspaceId: "asks" }));
    const { runId } = await run(stage.client(), { workspaceId: "asks", programId: "answer", from: "asked" });
    const ended = await runIs(stage.client(), "asks", runId, ENDS);
    expect([ended.state, ended.waiting]).toEqual(["finished", null]);
    const seen = await stage.client().call("browser_snapshot", { workspaceId: "asks" });
    expect(seen.text).toContain("said: forty-two");
  });

  test(verifies("programs.values"), async () => {
    await projectAt(stage.client(), "values", [stage.url("/flow")]);
    await record(stage.client(), "values");
    const page = await stage.person().page(stage.url("/flow"));
    await page.click("#name");
    await page.type("Ada");
    await page.click("#secret");
    await page.type("hunter2");
    await recorded(
      stage.client(),
      "values",
      ({ action }) => JSON.stringify(action.value) === '{"secret":"secret"}',
      "typed",
    );
    const { recordingId } = await stopRecording(stage.client(), "values");
    const save = { workspaceId: "values", fromRecording: recordingId, programId: "form" };
    const { program } = told<{ program: Record<string, unknown> }>(await stage.client().call("program_save", save));
    expect(program).toMatchObject({ params: [{ name: "name", default: "Ada" }], secrets: [{ name: "secret" }] });

    const without = await stage.client().call("program_run", { workspaceId: "values", programId: "form" });
    expect(without.code).toBe("MCP_BAD_ARGUMENTS");
    expect(without.meta.error?.details).toMatchObject({ missing: ["secret"] });
    const given = { params: { name: "Grace" }, secrets: { secret: "correct horse" } };
    const { runId } = await run(stage.client(), { workspaceId: "values", programId: "form", ...given });
    expect((await runIs(stage.client(), "values", runId, ENDS)).state).toBe("finished");
    expect(noted("field=name&value=Grace")).toBe(1);
    const { state, ...all } = await runOf(stage.client(), "values", runId);
    expect(JSON.stringify([state, all, await statusOf(stage.client(), "values")])).not.toContain("correct horse");
  });

  test(verifies("programs.no-client"), async () => {
    await save("alone", { steps: [goTo("/slow?s=1"), goTo("/flow/button?label=alone"), click("#press")] });
    const client = await stage.stack().client();
    told(await client.call("project_open", { workspaceId: "alone" }));
    const { runId } = await run(client, { workspaceId: "alone", programId: "alone", from: "library" });
    await client.close();
    await until(() => noted("pressed=alone") === 1, { deadlineMs: 2 * SOON_MS, why: "the program has pressed it" });
    expect((await runIs(stage.client(), "alone", runId, ENDS)).state).toBe("finished");
  });

  test(verifies("programs.by-hand"), async () => {
    told(await stage.client().call("project_open", { workspaceId: "library" }));
    const save = (program: unknown) =>
      stage.client().call("program_save", { workspaceId: "library", programId: "odd", program });
    const odd = await save({ steps: [{ do: "fly" }, { do: "navigate", url: { param: "where" }, tab: "nowhere" }] });
    expect(odd.code).toBe("MCP_BAD_ARGUMENTS");
    const undeclared = await save({ steps: [{ do: "navigate", url: { param: "where" }, tab: "nowhere" }] });
    expect(undeclared.text).toMatch(/where is not declared/);
    expect(undeclared.text).toMatch(/no step before it opens the tab nowhere/);
    const one = told<{ info: { version: number } }>(await save({ steps: [{ do: "back" }] }));
    const two = told<{ info: { version: number } }>(await save({ steps: [{ do: "back" }, { do: "back" }] }));
    expect([one.info.version, two.info.version]).toEqual([1, 2]);
    const list = told<{ programs: { programId: string }[] }>(
      await stage.client().call("program_list", { workspaceId: "library" }),
    );
    expect(list.programs.map(({ programId }) => programId)).toContain("odd");
    const none = await stage.client().call("program_get", { workspaceId: "library", programId: "none" });
    expect(none.code).toBe("MCP_PROGRAM_NOT_FOUND");
  });

  test(verifies("programs.locator"), async () => {
    const best = { by: "role", role: "button", name: "Press" };
    const steps = [
      goTo("/flow/button?id=old"),
      { do: "click", target: target("#old", best) },
      goTo("/flow/button?id=old&label=Other"),
      { do: "click", target: target("#old", best) },
    ];
    await save("locator", { steps });
    const { results, state } = await begin("locator");
    expect(state).toBe("finished");
    expect([results[1]?.locator, results[3]?.locator]).toEqual([best, { by: "css", value: "#old" }]);
  });

  test(verifies("programs.export"), async () => {
    const popup = [goTo("/flow"), click("#go", { opens: "tab2" }), click("#done", { tab: "tab2", closes: true })];
    const fill = { do: "fill", target: target("#name"), value: { param: "name" } };
    const secret = { do: "fill", target: target("#secret"), value: { secret: "word" } };
    await save("export", {
      params: [{ name: "name", default: "Ada" }],
      secrets: [{ name: "word" }],
      steps: [...popup, { do: "close_tab", tab: "tab2" }, fill, secret],
    });
    const { text } = told<{ text: string }>(
      await stage.client().call("program_export", { workspaceId: "library", programId: "export" }),
    );
    expect(text).toContain('import { type Page, test } from "@playwright/test";');
    expect(text).toContain('[tabs.tab2] = await Promise.all([tabs.main.waitForEvent("popup"), ');
    expect(text).toContain('await tabs.main.locator("#name").fill(params.name);');
    expect(text).toContain('process.env["word"] ?? missing("word")');
  });
});
