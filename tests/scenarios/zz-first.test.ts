import { until } from "@holdfast/testkit";
import { expect, test } from "vitest";
import { inShort, record, recorded, run, runIs, stepsOf, stopRecording, withStage } from "../support/recordings.js";
import { projectAt } from "../support/scene.js";
import { told } from "../support/work.js";

const stage = withStage();

test("first", async () => {
  const client = stage.client();
  const start = stage.url(`/flow?popup=${encodeURIComponent(stage.otherUrl("/flow/popup"))}`);
  await projectAt(client, "a", [start]);
  console.log(JSON.stringify(await record(client, "a")));
  const page = await stage.person().page(start);
  await page.click("#name");
  await page.type("Ada");
  await page.click("#go");
  const popup = await stage.person().page(stage.otherUrl("/flow/popup"));
  await popup.click("#code");
  await popup.type("1234");
  await popup.click("#done");
  await recorded(client, "a", ({ action }) => action.do === "tab_closed", "closed");
  await page.click("#after");
  await page.type("later");
  await page.click("#send");
  await until(() => page.read<boolean>("document.getElementById('sent').textContent === 'sent'"), { deadlineMs: 5000, why: "sent" });
  const stopped = await stopRecording(client, "a");
  console.log(JSON.stringify(stopped, null, 1));
  const steps = await stepsOf(client, "a");
  console.log(inShort(steps).join("\n"));
  const log = () => stage.pages().requests.map(({ method, url }) => `${method} ${url}`);
  const first = log();
  const saved = told<{ program: unknown }>(await client.call("program_save", { workspaceId: "a", fromRecording: stopped.recordingId, programId: "flow" }));
  
  told(await client.call("project_open", { workspaceId: "b" }));
  const { runId } = await run(client, { workspaceId: "b", programId: "flow", from: "a" });
  const ended = await runIs(client, "b", runId, ["finished", "waiting_for_decision", "stopped", "failed", "lost"]);
  console.log(JSON.stringify(ended, null, 1));
  console.log(first, log().slice(first.length));
  expect(log().slice(first.length)).toEqual(first);
});
