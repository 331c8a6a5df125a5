import { type PageServer, type TestStack, until } from "@holdfast/testkit";
import { must, quantile, timed } from "./measure.js";

/** Give this to the stack: few pages, so that tabs sleep. */
export const FEW_AWAKE = { HOLDFAST_AWAKE_PER_PROJECT: "3" } as const;
const TABS = 6;
const ROUNDS = 20;
const TARGET_MS = 500;
const SOON_MS = 20_000;

/** ms of a read of a tab that sleeps: its page is made, loaded and read. */
export async function wake(stack: TestStack, pages: PageServer): Promise<string> {
  const client = await stack.client("bench-wake");
  await must(client, "browser_navigate", { url: pages.url("/form?m=wake0") });
  for (let tab = 1; tab < TABS; tab += 1)
    await must(client, "browser_tabs", { action: "new", select: false, url: pages.url(`/form?m=wake${tab}`) });
  const sleeping = async (): Promise<string | undefined> => {
    const { structured } = await must(client, "browser_tabs", { action: "list" });
    const tabs = structured?.tabs as readonly { tabId: string; state: string }[];
    return tabs.find(({ state }) => state === "sleeping")?.tabId;
  };
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const tabId = await until(sleeping, { deadlineMs: SOON_MS, why: "a tab sleeps" });
    times.push(await timed(() => must(client, "browser_snapshot", { tabId })));
  }
  const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)];
  const reached = p95 < TARGET_MS ? "reached" : "MISSED";
  return `a sleeping tab is read${" ".repeat(12)}p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms   p95 < ${TARGET_MS}: ${reached}`;
}
