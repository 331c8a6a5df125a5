import { connectBus, openLedger } from "@holdfast/bus";
import { type PageServer, startPageServer, startTestStack, type TestStack, until } from "@holdfast/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { type Client, fine, told } from "../support/work.js";

/** Connections that are cut; the whole number is asked for by the environment. */
const CUTS = Number(process.env.HOLDFAST_LEDGER_CUTS ?? 100);
/** Projects that are cut beside each other. */
const PROJECTS = 4;
/** ms for one cut, on a slow machine. */
const CUT_MS = 1_500;

let stack: TestStack;
let pages: PageServer;
let client: Client;

beforeAll(async () => {
  pages = await startPageServer();
  stack = await startTestStack();
  client = await stack.client();
});

afterAll(async () => {
  await stack?.stop();
  await pages?.close();
});

/** The effect is on the server before the page says that it is done. */
const counted = (id: string) => ({
  function: `async () => { const hit = await fetch("/hit?id=${id}", { method: "POST" }); await fetch("/slow?s=0.05"); return "hit " + (await hit.text()); }`,
  operationId: id,
});

async function cutOnce(workspaceId: string, id: string): Promise<string> {
  const cut = await stack.client();
  const call = cut.call("browser_evaluate", { workspaceId, ...counted(id) }).catch(() => null);
  await until(() => pages.hits(id) > 0, { deadlineMs: 30_000, why: `${id} acts` });
  await cut.close();
  await call;
  const answer = fine(await client.call("browser_evaluate", { workspaceId, ...counted(id) }));
  return `${answer.meta.replayed} ${/hit \d+/.exec(answer.text)?.[0]} ${pages.hits(id)}`;
}

test(verifies("ledger.cut-connections"), { timeout: CUTS * CUT_MS + 60_000 }, async () => {
  const seen = new Map<string, number>();
  const line = async (place: number): Promise<void> => {
    const workspaceId = `cuts-${place}`;
    told(await client.call("project_open", { workspaceId }));
    fine(await client.call("browser_navigate", { workspaceId, url: pages.url("/a") }));
    for (let n = place; n < CUTS; n += PROJECTS) {
      const how = await cutOnce(workspaceId, `cut-${n}`);
      seen.set(how, (seen.get(how) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: PROJECTS }, (_, place) => line(place)));
  console.info(`connections cut and asked again: ${JSON.stringify([...seen])}`);
  expect([...seen]).toEqual([["true hit 1 1", CUTS]]);
});

test(verifies("ledger.no-secrets"), async () => {
  const workspaceId = "secretive";
  told(await client.call("project_open", { workspaceId }));
  fine(await client.call("browser_navigate", { workspaceId, url: pages.url("/form") }));
  const secret = "correct-horse-battery";
  const box = `() => { document.body.innerHTML = '<input id="word" aria-label="word">'; }`;
  fine(await client.call("browser_evaluate", { workspaceId, function: box }));
  const typed = { workspaceId, target: "#word", text: secret, snapshot: "full", operationId: "typed" };
  expect(fine(await client.call("browser_type", typed)).text).toContain(secret);
  const bus = await connectBus({ url: stack.endpoint.natsUrl, name: "test" });
  const entry = await (await openLedger(bus)).get(`${workspaceId}.typed`);
  expect(entry?.value.outcome).toBe("done");
  expect(JSON.stringify(entry)).not.toContain(secret);
  const again = fine(await client.call("browser_type", typed));
  expect([again.meta.replayed, again.text.includes(secret)]).toEqual([true, false]);
  await bus.nc.close();
});
