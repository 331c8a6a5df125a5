import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "@holdfast/testkit";
import { describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { inShort, record, recorded, type StepTold, stepsOf, stopRecording, withStage } from "../support/recordings.js";
import { openTab, projectAt } from "../support/scene.js";
import { fine, SOON_MS, told } from "../support/work.js";

const stage = withStage();
const done = ({ action }: StepTold): boolean => !["tab_opened", "navigate"].includes(action.do);

describe("a recording", () => {
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

  test(verifies("recording.uploads"), async () => {
    const file = join(stage.stack().stateDir, "letter.txt");
    writeFileSync(file, "dear reader");
    await projectAt(stage.client(), "uploads", [stage.url("/up")]);
    await record(stage.client(), "uploads");
    const page = await stage.person().page(stage.url("/up"));
    const { root } = await page.raw("DOM.getDocument");
    const { nodeId } = await page.raw("DOM.querySelector", {
      nodeId: (root as { nodeId: number }).nodeId,
      selector: "#file",
    });
    await page.raw("DOM.setFileInputFiles", { files: [file], nodeId });
    await recorded(stage.client(), "uploads", ({ action }) => action.do === "upload", "the upload is recorded");
    await stopRecording(stage.client(), "uploads");
    const steps = await stepsOf(stage.client(), "uploads");
    expect(steps.map(({ action }) => [action.do, action.files])).toEqual([["upload", ["letter.txt"]]]);
    expect(JSON.stringify(steps)).not.toContain(stage.stack().stateDir);
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
