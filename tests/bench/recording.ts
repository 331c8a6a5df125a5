import { type PageServer, type PersonPage, personIn, type TestStack, until } from "@holdfast/testkit";
import { median, must } from "./measure.js";

const EVENT_MS_MAX = 1;
const LOAD_SHARE_MAX = 0.05;
const LOADS = 25;
const CLICKS = 20;
const SOON_MS = 10_000;

type Client = Awaited<ReturnType<TestStack["client"]>>;

/** The capture script's listener stands between the window's first listener and the document's. */
const WATCH = `(() => {
  window.costs = [];
  let began = 0;
  for (const kind of ["pointerdown", "pointerup", "click", "input", "keydown", "keyup", "change"]) {
    window.addEventListener(kind, () => { began = performance.now(); }, true);
    document.addEventListener(kind, () => { window.costs.push(performance.now() - began); }, true);
  }
})()`;

/** Resolves when the page is loaded, and has done what comes of that. */
const WHOLE = `new Promise((resolve) => {
  const done = () => setTimeout(resolve);
  if (document.readyState === "complete") done(); else addEventListener("load", done);
})`;

/** What recording costs a page: for each event that a person makes, and for a load. */
export async function recordingCost(stack: TestStack, pages: PageServer): Promise<string[]> {
  const person = await personIn(stack);
  try {
    const events = await stack.client("bench-events");
    await must(events, "browser_navigate", { url: pages.url("/form?m=bench-events") });
    const ofEvents = await eventCost(events, await person.page(pages.url("/form?m=bench-events")));
    const loads = await stack.client("bench-loads");
    const url = pages.url("/big?nodes=2000");
    await must(loads, "browser_navigate", { url });
    return [ofEvents, await loadCost(loads, await person.page(url), url)];
  } finally {
    person.close();
  }
}

async function eventCost(client: Client, page: PersonPage): Promise<string> {
  await page.read(WATCH);
  await must(client, "recording_start", { recordingId: "events" });
  await page.click("#area");
  await page.type("The quick brown fox jumps over the lazy dog.");
  for (let times = 0; times < CLICKS; times += 1) await page.click(times % 2 ? "#text" : "#check");
  const recorded = async (): Promise<boolean> => {
    const { structured } = await must(client, "recording_status", { recordingId: "events" });
    return Number(structured?.steps) > CLICKS;
  };
  await until(recorded, { deadlineMs: SOON_MS, why: "all is recorded" });
  await must(client, "recording_stop", {});
  const costs = await page.read<number[]>("window.costs");
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
  const reached = mean < EVENT_MS_MAX ? "reached" : "MISSED";
  return `recording, an event${" ".repeat(15)}mean ${mean.toFixed(3)} ms of ${costs.length}   < ${EVENT_MS_MAX} ms: ${reached}`;
}

/** A load as the page itself counts it, plain and recorded in turn. */
async function loadCost(client: Client, page: PersonPage, url: string): Promise<string> {
  const load = async (): Promise<number> => {
    await page.goto(url);
    await page.read(WHOLE);
    return page.read<number>('performance.getEntriesByType("navigation")[0].duration');
  };
  const plain: number[] = [];
  const recorded: number[] = [];
  for (let round = 0; round < LOADS; round += 1) {
    // The first load after a change pays for it, and counts for neither.
    await load();
    plain.push(await load());
    await must(client, "recording_start", { recordingId: `load-${round}` });
    await load();
    recorded.push(await load());
    await must(client, "recording_stop", {});
  }
  const share = median(recorded) / median(plain) - 1;
  const reached = share < LOAD_SHARE_MAX ? "reached" : "MISSED";
  const figures = `plain ${median(plain).toFixed(1)} ms, recorded ${median(recorded).toFixed(1)} ms`;
  return `recording, a load of 2,000 elements  ${figures} (${(share * 100).toFixed(1)} %)   < ${LOAD_SHARE_MAX * 100} %: ${reached}`;
}
