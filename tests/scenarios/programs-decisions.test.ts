import { until } from "@holdfast/testkit";
import { describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { workshopOn } from "../support/programs.js";
import { withStage } from "../support/recordings.js";
import { SOON_MS, statusOf } from "../support/work.js";

const stage = withStage();
const { click, goTo, noted, save, begin, resume } = workshopOn(stage);

describe("a run that cannot go on", () => {
  test(verifies("programs.waits"), async () => {
    await save("waits", { steps: [goTo("/flow/button?id=there"), { ...click("#nowhere"), timeoutMs: 1_500 }] });
    const { state, step, waiting, results } = await begin("waits");
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
    await save("guess", { steps: [goTo("/list"), press, elsewhere] });
    const first = await begin("guess");
    expect([first.state, first.waiting?.step]).toEqual(["waiting_for_decision", 1]);
    const second = await resume(first, "guess", { decision: "skip" });
    expect([second.state, second.waiting?.step]).toEqual(["waiting_for_decision", 2]);
    expect(second.waiting?.tried).toMatchObject([{ found: 1, fits: false }]);
    const page = await stage.client().call("browser_snapshot", { workspaceId: "guess" });
    expect(page.text).not.toContain("pressed");
  });

  test(verifies("programs.retry"), async () => {
    await save("retry", { steps: [goTo("/flow/button?id=there"), { ...click("#late"), timeoutMs: 1_000 }] });
    const waiting = await begin("retry");
    expect(waiting.state).toBe("waiting_for_decision");
    // Whoever helps works in the run's name.
    const put = `() => { const late = document.createElement("button"); late.id = "late"; late.textContent = "late"; document.body.append(late); }`;
    const help = { workspaceId: "retry", taskId: waiting.runId, function: put };
    expect((await stage.client().call("browser_evaluate", help)).ok).toBe(true);
    const ended = await resume(waiting, "retry", { decision: "retry" });
    expect([ended.state, ended.results.map(({ outcome }) => outcome)]).toEqual([
      "finished",
      ["done", "failed", "done"],
    ]);
  });

  test(verifies("programs.skip"), async () => {
    await save("skip", {
      steps: [goTo("/flow/button?label=skip"), { ...click("#nowhere"), timeoutMs: 500 }, click("#press")],
    });
    const ended = await resume(await begin("skip"), "skip", { decision: "skip" });
    expect([ended.state, ended.results.map(({ outcome }) => outcome)]).toEqual([
      "finished",
      ["done", "failed", "skipped", "done"],
    ]);
    await until(() => noted("pressed=skip") === 1, { deadlineMs: SOON_MS, why: "the step after it was done" });
  });

  test(verifies("programs.replace"), async () => {
    await save("replace", { steps: [goTo("/flow/button?label=replaced"), { ...click("#nowhere"), timeoutMs: 500 }] });
    const ended = await resume(await begin("replace"), "replace", { decision: "replace", step: click("#press") });
    expect(ended.state).toBe("finished");
    await until(() => noted("pressed=replaced") === 1, { deadlineMs: SOON_MS, why: "the other step was done" });
  });

  test(verifies("programs.value"), async () => {
    const steps = [{ do: "navigate", url: { param: "address" } }, click("#press")];
    await save("value", { params: [{ name: "address" }], steps });
    const waiting = await begin("value", { params: { address: "javascript:alert(1)" } });
    expect(waiting.waiting).toMatchObject({ step: 0, code: "MCP_URL_DENIED" });
    const params = { address: stage.url("/flow/button?label=valued") };
    expect((await resume(waiting, "value", { decision: "value", params })).state).toBe("finished");
    await until(() => noted("pressed=valued") === 1, {
      deadlineMs: SOON_MS,
      why: "it was pressed at the other address",
    });
  });
});
