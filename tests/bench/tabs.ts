import { connectBus, followFacts } from "@holdfast/bus";
import { type PageServer, type TestStack, until } from "@holdfast/testkit";
import { must, quantile } from "./measure.js";

const ROUNDS = 40;
const TARGET_MS = 100;
const WORKSPACE = "bench-tabs";
/** ms the window comes after its call was answered, so that no call is under way that could tell of it. */
const LATER_MS = 60;
const SOON_MS = 5_000;

/** ms from a page's own `window.open` until the fact of the new tab is heard. */
export async function newTabKnown(stack: TestStack, pages: PageServer): Promise<string> {
  const client = await stack.client(WORKSPACE);
  const bus = await connectBus({ url: stack.endpoint.natsUrl, name: "bench" });
  const heard: { at: number; tabId: string }[] = [];
  const following = await followFacts(bus, { workspaceId: WORKSPACE }, ({ fact }) => {
    if (fact.fact === "tab.opened") heard.push({ at: Date.now(), tabId: fact.tab.tabId });
  });
  await must(client, "browser_navigate", { url: pages.url("/a") });
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    heard.length = 0;
    const script = `() => { setTimeout(() => { window.openedAt = Date.now(); window.open("/b"); }, ${LATER_MS}); }`;
    await must(client, "browser_evaluate", { function: script });
    const { at, tabId } = await until(() => heard[0], { deadlineMs: SOON_MS, why: "the tab is told of" });
    const { text } = await must(client, "browser_evaluate", { function: "() => window.openedAt" });
    times.push(at - Number(text.split("\n")[1]));
    await must(client, "browser_tabs", { action: "close", tabId });
  }
  await following.stop();
  await bus.drain();
  const p95 = quantile(times, 0.95);
  const reached = p95 <= TARGET_MS ? "reached" : "MISSED";
  return `new tab known${" ".repeat(21)}p50 ${quantile(times, 0.5)} ms, p95 ${p95} ms   p95 <= ${TARGET_MS}: ${reached}`;
}
