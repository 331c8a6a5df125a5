import { until } from "@holdfast/testkit";
import { expect, test } from "vitest";
import { verifies } from "../promises.js";
import { record, stepsOf, stopRecording, withStage } from "../support/recordings.js";
import { projectAt } from "../support/scene.js";
import { SOON_MS } from "../support/work.js";

const stage = withStage();
/** What one event may take of the page's time, in ms, and what recording may add to a load. */
const EVENT_MS_MAX = 1;
const LOAD_SHARE_MAX = 0.05;
/** What two measurements of the same thing differ by on a machine that does other things too, in ms. */
const NOISE_MS = 1;
const LOADS = 25;

const middle = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** The capture script's listener stands between the window's first listener and the document's. */
const WATCH = `(() => {
  window.costs = [];
  let began = 0;
  for (const kind of ["pointerdown", "pointerup", "click", "input", "keydown", "keyup", "change"]) {
    window.addEventListener(kind, () => { began = performance.now(); }, true);
    document.addEventListener(kind, () => { window.costs.push(performance.now() - began); }, true);
  }
})()`;

test(verifies("recording.cheap", "an event"), async () => {
  await projectAt(stage.client(), "events", [stage.url("/form")]);
  const page = await stage.person().page(stage.url("/form"));
  await page.read(WATCH);
  await record(stage.client(), "events");
  await page.click("#area");
  await page.type("The quick brown fox jumps over the lazy dog.");
  for (let times = 0; times < 20; times += 1) await page.click(times % 2 ? "#text" : "#check");
  await until(async () => (await stepsOf(stage.client(), "events")).length > 20, {
    deadlineMs: SOON_MS,
    why: "all is recorded",
  });
  await stopRecording(stage.client(), "events");
  const costs = await page.read<number[]>("window.costs");
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
  console.info(
    `capture of an event: mean ${mean.toFixed(3)} ms, median ${middle(costs).toFixed(3)} ms, of ${costs.length}`,
  );
  expect(costs.length).toBeGreaterThan(100);
  expect(mean).toBeLessThan(EVENT_MS_MAX);
});

test(verifies("recording.cheap", "a load"), { timeout: 120_000 }, async () => {
  const url = stage.url("/big?nodes=2000");
  await projectAt(stage.client(), "loads", [url]);
  const page = await stage.person().page(url);
  // Counted in the thread's own time, which other work on the machine does not lengthen.
  await page.raw("Performance.enable", { timeDomain: "threadTicks" });
  const spent = async (): Promise<number> => {
    const { metrics } = await page.raw("Performance.getMetrics");
    const found = (metrics as { name: string; value: number }[]).find(({ name }) => name === "TaskDuration");
    return (found?.value ?? 0) * 1_000;
  };
  const load = async (): Promise<number> => {
    const before = await spent();
    await page.goto(url);
    await page.read(WHOLE);
    return (await spent()) - before;
  };
  const loads: { plain: number[]; recorded: number[] } = { plain: [], recorded: [] };
  for (let round = 0; round < LOADS; round += 1) {
    // The first load after a change pays for it, and counts for neither.
    await load();
    loads.plain.push(await load());
    await record(stage.client(), "loads", `load-${round}`);
    await load();
    loads.recorded.push(await load());
    await stopRecording(stage.client(), "loads");
  }
  const [plain, recorded] = [middle(loads.plain), middle(loads.recorded)];
  console.info(`load: ${plain.toFixed(1)} ms of the page's thread, recorded ${recorded.toFixed(1)} ms`);
  expect(recorded).toBeLessThan(plain * (1 + LOAD_SHARE_MAX) + NOISE_MS);
});

/** Resolves when the page is loaded, and has done what comes of that. */
const WHOLE = `new Promise((resolve) => {
  const done = () => setTimeout(resolve);
  if (document.readyState === "complete") done(); else addEventListener("load", done);
})`;
