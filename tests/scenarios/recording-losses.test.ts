import { until } from "@holdfast/testkit";
import { expect, test } from "vitest";
import { verifies } from "../promises.js";
import { inShort, record, recorded, stepsOf, stopRecording, withStage } from "../support/recordings.js";
import { openTab, projectAt, tabsOf } from "../support/scene.js";
import { fine, SOON_MS, statusOf } from "../support/work.js";

const stage = withStage();
/** A lost worker's lease runs out, and another one takes the project up, in ms. */
const FAILOVER_MS = 60_000;

test(verifies("recording.gap-crash"), async () => {
  const [main] = await projectAt(stage.client(), "crash", [stage.url("/form")]);
  const other = await openTab(stage.client(), { workspaceId: "crash", url: stage.url("/form?second") });
  await record(stage.client(), "crash");
  const page = await stage.person().page(stage.url("/form"));
  await page.click("#text");
  await page.type("before");
  await page.crash();
  const crashed = async (): Promise<boolean> =>
    (await tabsOf(stage.client(), "crash")).some(({ tabId, state }) => tabId === main && state === "crashed");
  await until(crashed, { deadlineMs: SOON_MS, why: "the tab has crashed" });
  const second = await stage.person().page(stage.url("/form?second"));
  await second.click("#area");
  await recorded(stage.client(), "crash", ({ tabId }) => tabId === other, "the other tab is recorded");
  fine(
    await stage.client().call("browser_navigate", { workspaceId: "crash", tabId: main, url: stage.url("/form?again") }),
  );
  const again = await stage.person().page(stage.url("/form?again"));
  await again.click("#area");
  await recorded(
    stage.client(),
    "crash",
    ({ tabId, action }) =>
      tabId === main && action.do === "click" && inShort([{ at: "", tabId, cause: null, action }])[0] === "click area",
    "the tab is recorded again",
  );
  const { completeness } = await stopRecording(stage.client(), "crash");
  expect(completeness.complete).toBe(false);
  expect(completeness.gaps).toMatchObject([{ why: "tab_crashed", tabId: main }]);
  const [gap] = completeness.gaps;
  expect(Date.parse(gap?.to ?? "")).toBeGreaterThan(Date.parse(gap?.from ?? ""));
});

test(verifies("recording.gap-worker"), { timeout: 2 * FAILOVER_MS }, async () => {
  const [main] = await projectAt(stage.client(), "lost", [stage.url("/form?of=lost")]);
  await record(stage.client(), "lost");
  const page = await stage.person().page(stage.url("/form?of=lost"));
  await page.click("#text");
  await page.type("before");
  await recorded(stage.client(), "lost", ({ action }) => JSON.stringify(action.value) === '{"text":"before"}', "typed");
  const worker = stage.stack().stack.children.find(({ service }) => service === "browser-worker");
  process.kill(worker?.pid ?? 0, "SIGKILL");
  const served = async (): Promise<boolean> => {
    const answer = await stage
      .client()
      .call("browser_navigate", { workspaceId: "lost", url: stage.url("/form?after") });
    return answer.ok;
  };
  await until(served, { deadlineMs: FAILOVER_MS, why: "the project is served again" });
  const { completeness } = await stopRecording(stage.client(), "lost");
  expect(completeness.complete).toBe(false);
  expect(completeness.gaps).toMatchObject([{ why: "worker_lost", tabId: null }]);
  const steps = await stepsOf(stage.client(), "lost");
  expect(inShort(steps).slice(0, 2)).toEqual(["click text", "fill text before"]);
  expect(steps.at(-1)?.action).toMatchObject({ do: "navigate", url: stage.url("/form?after") });
  expect((await statusOf(stage.client(), "lost")).tabs.map(({ tabId }) => tabId)).toContain(main);
});
