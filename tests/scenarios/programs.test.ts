import { until } from "@holdfast/testkit";
import { describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { type RunTold, record, recorded, run, runIs, runOf, stopRecording, withStage } from "../support/recordings.js";
import { projectAt } from "../support/scene.js";
import { type Client, SOON_MS, statusOf, told } from "../support/work.js";

const stage = withStage();
const ENDS = ["finished", "stopped", "failed", "lost", "waiting_for_decision"];

const target = (css: string, ...others: object[]): object => ({ locators: [...others, { by: "css", value: css }] });
const click = (css: string, more: object = {}): object => ({ do: "click", target: target(css), ...more });
const goTo = (path: string): object => ({ do: "navigate", url: stage.url(path) });

/** What the server was asked for since a place in its log. */
const logSince = (from: number): string[] =>
  stage
    .pages()
    .requests.slice(from)
    .map(({ method, url }) => `${method} ${url}`);
const noted = (what: string): number =>
  stage.pages().requests.filter(({ url }) => url.endsWith(`/flow/note?${what}`)).length;

async function saved(programId: string, program: { steps: readonly object[]; [more: string]: unknown }): Promise<void> {
  told(await stage.client().call("project_open", { workspaceId: "library" }));
  told(await stage.client().call("program_save", { workspaceId: "library", programId, program }));
}

/** Runs a program of the library in a project of its own, and waits for its end or for what it waits for. */
async function began(
  programId: string,
  more: Record<string, unknown> = {},
  client: Client = stage.client(),
): Promise<RunTold> {
  told(await client.call("project_open", { workspaceId: programId }));
  const { runId } = await run(client, {
    workspaceId: programId,
    programId,
    from: "library",
    runId: `run-${programId}`,
    ...more,
  });
  return runIs(client, programId, runId, ENDS);
}

async function resumed(
  waiting: RunTold & { workspaceId?: string },
  workspaceId: string,
  more: object,
): Promise<RunTold> {
  told(await stage.client().call("program_resume", { workspaceId, runId: waiting.runId, ...more }));
  return runIs(stage.client(), workspaceId, waiting.runId, ENDS);
}

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
    const { recordingId } = await stopRecording(stage.client(), "recorded");
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
    await until(all, { deadlineMs: SOON_MS, why: "the last request of the program has come" });
    expect(logSince(between)).toEqual(byPerson);
    expect((await statusOf(stage.client(), "fresh")).cursor?.tabId).toBe(ended.tabs.main);
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
    await saved("alone", { steps: [goTo("/slow?s=1"), goTo("/flow/button?label=alone"), click("#press")] });
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
    await saved("locator", { steps });
    const { results, state } = await began("locator");
    expect(state).toBe("finished");
    expect([results[1]?.locator, results[3]?.locator]).toEqual([best, { by: "css", value: "#old" }]);
  });

  test(verifies("programs.export"), async () => {
    const popup = [goTo("/flow"), click("#go", { opens: "tab2" }), click("#done", { tab: "tab2", closes: true })];
    const fill = { do: "fill", target: target("#name"), value: { param: "name" } };
    const secret = { do: "fill", target: target("#secret"), value: { secret: "word" } };
    await saved("export", {
      params: [{ name: "name", default: "Ada" }],
      secrets: [{ name: "word" }],
      steps: [...popup, { do: "close_tab", tab: "tab2" }, fill, secret],
    });
    const { text } = told<{ text: string }>(
      await stage.client().call("program_export", { workspaceId: "library", programId: "export" }),
    );
    expect(text).toContain('import { test } from "@playwright/test";');
    expect(text).toContain('const tab2Opens = main.waitForEvent("popup");');
    expect(text).toContain('await main.locator("#name").fill(name);');
    expect(text).toContain('process.env["word"] ?? missing("word")');
  });
});

describe("a run that cannot go on", () => {
  test(verifies("programs.waits"), async () => {
    await saved("waits", { steps: [goTo("/flow/button?id=there"), { ...click("#nowhere"), timeoutMs: 1_500 }] });
    const { state, step, waiting, results } = await began("waits");
    expect([state, step]).toEqual(["waiting_for_decision", 1]);
    expect(waiting).toMatchObject({ why: "step_failed", step: 1, code: "MCP_PAGE_FAILED" });
    expect(waiting?.tried).toEqual([{ locator: { by: "css", value: "#nowhere" }, found: 0, fits: null }]);
    expect(waiting?.snapshot).toContain("Press");
    expect(waiting?.screenshot).toMatchObject({ mimeType: "image/png" });
    expect(results.map(({ outcome }) => outcome)).toEqual(["done", "failed"]);
    expect((await statusOf(stage.client(), "waits")).execution?.state).toBe("waiting_for_decision");
  });

  test(verifies("programs.no-guess"), async () => {
    const press = { do: "click", target: { locators: [{ by: "css", value: "#rows button" }] }, timeoutMs: 1_000 };
    const elsewhere = {
      do: "click",
      target: {
        locators: [{ by: "css", value: "#rows > li:nth-of-type(2) > button" }],
        element: { tag: "button", role: "button", name: "press 7", text: "press 7" },
      },
      timeoutMs: 1_000,
    };
    await saved("guess", { steps: [goTo("/list"), press, elsewhere] });
    const first = await began("guess");
    expect([first.state, first.waiting?.step]).toEqual(["waiting_for_decision", 1]);
    const second = await resumed(first, "guess", { decision: "skip" });
    expect([second.state, second.waiting?.step]).toEqual(["waiting_for_decision", 2]);
    expect(second.waiting?.tried).toMatchObject([{ found: 1, fits: false }]);
    const page = await stage.client().call("browser_snapshot", { workspaceId: "guess" });
    expect(page.text).not.toContain("pressed");
  });

  test(verifies("programs.retry"), async () => {
    await saved("retry", { steps: [goTo("/flow/button?id=there"), { ...click("#late"), timeoutMs: 1_000 }] });
    const waiting = await began("retry");
    expect(waiting.state).toBe("waiting_for_decision");
    // Whoever helps works in the run's name.
    const put = `() => { const late = document.createElement("button"); late.id = "late"; late.textContent = "late"; document.body.append(late); }`;
    const help = { workspaceId: "retry", taskId: waiting.runId, function: put };
    expect((await stage.client().call("browser_evaluate", help)).ok).toBe(true);
    const ended = await resumed(waiting, "retry", { decision: "retry" });
    expect([ended.state, ended.results.map(({ outcome }) => outcome)]).toEqual([
      "finished",
      ["done", "failed", "done"],
    ]);
  });

  test(verifies("programs.skip"), async () => {
    await saved("skip", {
      steps: [goTo("/flow/button?label=skip"), { ...click("#nowhere"), timeoutMs: 500 }, click("#press")],
    });
    const ended = await resumed(await began("skip"), "skip", { decision: "skip" });
    expect([ended.state, ended.results.map(({ outcome }) => outcome)]).toEqual([
      "finished",
      ["done", "failed", "skipped", "done"],
    ]);
    await until(() => noted("pressed=skip") === 1, { deadlineMs: SOON_MS, why: "the step after it was done" });
  });

  test(verifies("programs.replace"), async () => {
    await saved("replace", { steps: [goTo("/flow/button?label=replaced"), { ...click("#nowhere"), timeoutMs: 500 }] });
    const ended = await resumed(await began("replace"), "replace", { decision: "replace", step: click("#press") });
    expect(ended.state).toBe("finished");
    await until(() => noted("pressed=replaced") === 1, { deadlineMs: SOON_MS, why: "the other step was done" });
  });

  test(verifies("programs.value"), async () => {
    const steps = [{ do: "navigate", url: { param: "address" } }, click("#press")];
    await saved("value", { params: [{ name: "address" }], steps });
    const waiting = await began("value", { params: { address: "javascript:alert(1)" } });
    expect(waiting.waiting).toMatchObject({ step: 0, code: "MCP_URL_DENIED" });
    const params = { address: stage.url("/flow/button?label=valued") };
    expect((await resumed(waiting, "value", { decision: "value", params })).state).toBe("finished");
    await until(() => noted("pressed=valued") === 1, {
      deadlineMs: SOON_MS,
      why: "it was pressed at the other address",
    });
  });
});

describe("a run", () => {
  test(verifies("programs.holds"), async () => {
    await saved("holds", { steps: [goTo("/flow/button?id=there"), { ...click("#nowhere"), timeoutMs: 500 }] });
    const { runId } = await began("holds");
    const client = stage.client();
    const refused = await client.call("browser_click", { workspaceId: "holds", target: "#there" });
    expect(refused.code).toBe("MCP_PROJECT_BUSY");
    expect(refused.meta.error?.details).toMatchObject({ holder: { kind: "program", id: runId } });
    expect((await client.call("browser_snapshot", { workspaceId: "holds" })).ok).toBe(true);
    expect((await client.call("task_start", { workspaceId: "holds" })).code).toBe("MCP_PROJECT_BUSY");
    expect((await client.call("system_quit")).code).toBe("MCP_BACKGROUND_PROJECT_RUNNING");
    told(await client.call("program_stop", { workspaceId: "holds", profileId: "default", runId }));
  });

  test(verifies("programs.stop"), async () => {
    await saved("stop", { steps: [goTo("/slow?s=30")] });
    const client = stage.client();
    told(await client.call("project_open", { workspaceId: "stop" }));
    const { runId } = await run(client, { workspaceId: "stop", programId: "stop", from: "library" });
    await until(() => logSince(0).some((line) => line.endsWith("/slow?s=30")), {
      deadlineMs: SOON_MS,
      why: "it loads",
    });
    const stopped = told<{ requested: boolean; interrupted: object | null }>(
      await client.call("program_stop", { workspaceId: "stop", profileId: "default", runId }),
    );
    expect(stopped).toMatchObject({ requested: true, interrupted: { operationId: `${runId}_0` } });
    expect((await runIs(client, "stop", runId, ["stopped"])).state).toBe("stopped");
    const late = await client.call("program_resume", { workspaceId: "stop", runId, decision: "retry" });
    expect(late.code).toBe("MCP_TASK_ENDED");
  });

  test(verifies("programs.stop", "while it waits, by task_stop too"), async () => {
    await saved("stopwait", { steps: [{ ...click("#nowhere"), timeoutMs: 500 }] });
    const waiting = await began("stopwait");
    expect(waiting.state).toBe("waiting_for_decision");
    const named = { workspaceId: "stopwait", profileId: "default" };
    const stopped = told<{ state: string }>(
      await stage.client().call("task_stop", { ...named, taskId: waiting.runId }),
    );
    expect(stopped.state).toBe("stopped");
    expect((await runOf(stage.client(), "stopwait", waiting.runId)).state).toBe("stopped");
    const again = told<{ state: string }>(
      await stage.client().call("program_stop", { ...named, runId: waiting.runId }),
    );
    expect(again.state).toBe("already_ended");
  });

  test(verifies("programs.stop-wrong"), async () => {
    await saved("wrong", { steps: [{ ...click("#nowhere"), timeoutMs: 500 }] });
    const { runId } = await began("wrong");
    const stop = async (args: object) =>
      (await stage.client().call("program_stop", { workspaceId: "wrong", profileId: "default", runId, ...args })).code;
    expect(await stop({ runId: "another" })).toBe("MCP_TASK_MISMATCH");
    expect(await stop({ profileId: "second" })).toBe("MCP_TASK_MISMATCH");
    expect(await stop({ workspaceId: "library" })).toBe("MCP_TASK_NOT_FOUND");
    expect((await runOf(stage.client(), "wrong", runId)).state).toBe("waiting_for_decision");
    expect(await stop({})).toBeNull();
  });

  test(verifies("programs.once"), async () => {
    await saved("once", { steps: [goTo("/flow/button?label=once"), click("#press")] });
    const ended = await began("once");
    expect(ended.state).toBe("finished");
    const again = await run(stage.client(), {
      workspaceId: "once",
      programId: "once",
      from: "library",
      runId: ended.runId,
    });
    expect([again.runId, again.state]).toEqual([ended.runId, "finished"]);
    await until(() => noted("pressed=once") === 1, { deadlineMs: SOON_MS, why: "it was pressed" });
    const both = await Promise.all(
      Array.from({ length: 2 }, () =>
        run(stage.client(), { workspaceId: "once", programId: "once", from: "library", runId: "twice" }),
      ),
    );
    await runIs(stage.client(), "once", "twice", ["finished"]);
    expect(new Set(both.map(({ runId }) => runId))).toEqual(new Set(["twice"]));
    await until(() => noted("pressed=once") === 2, {
      deadlineMs: SOON_MS,
      why: "it was pressed once more, and once only",
    });
  });
});
