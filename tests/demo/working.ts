import { statusOf, told } from "../support/work.js";
import { type Agent, placeOf, type Scene, tabOf } from "./scene.js";
import { chapter, claim, says, timed } from "./story.js";

const ROUNDS = 10;

export async function bothWork({ site, anna, bert }: Scene): Promise<void> {
  chapter("Two agents work at once: two projects, one browser, one site");
  await Promise.all([logIn(anna, site.url("/login?user=anna")), logIn(bert, site.url("/login?user=bert"))]);
  for (const agent of [anna, bert]) {
    const page = await agent.does("browser_navigate", { url: site.url("/whoami"), snapshot: "full" });
    says(agent.name, `${placeOf(page)} reads: ${/cookie: \w+/.exec(page.text)?.[0]}`);
    claim(
      `${agent.name} is logged in as ${agent.name} and as nobody else`,
      page.text.includes(`cookie: ${agent.name}`),
      page.text,
    );
  }
  const { value: wrong, ms } = await timed(async () =>
    (await Promise.all([counts(anna, site.url), counts(bert, site.url)])).flat(),
  );
  claim(
    `${ROUNDS * 4} calls side by side in ${ms} ms, and no answer was about the other's page`,
    wrong.length === 0,
    wrong,
  );
  const hits = [site.hits("anna"), site.hits("bert")];
  claim(
    `the site counted ${hits.join(" and ")} clicks, as many as were made`,
    hits.every((count) => count === ROUNDS),
    hits,
  );
}

async function logIn(agent: Agent, url: string): Promise<void> {
  await agent.does("browser_navigate", { url });
}

/** Clicks and reads in turn; what it gives are the answers that are not about the agent's own page. */
async function counts(agent: Agent, url: (path: string) => string): Promise<string[]> {
  await agent.does("browser_navigate", { url: url(`/count?id=${agent.name}&m=${agent.name}`) });
  const wrong: string[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const clicked = await agent.does("browser_click", { target: "#hit", element: "the button hit" });
    const read = await agent.does("browser_snapshot");
    if (!placeOf(clicked).startsWith(`${agent.workspaceId}/`) || !read.text.includes(`MARK:/count:${agent.name}`))
      wrong.push(read.text);
  }
  return wrong;
}

export async function viewMoves({ stack, site, anna, bert }: Scene): Promise<void> {
  chapter("A person looks around, and the work does not notice");
  const opened = await anna.does("browser_tabs", { action: "new", url: site.url("/b"), select: false });
  const other = tabOf(opened);
  const before = await cursors([anna, bert]);
  const person = await stack.client();
  const answers = reads(anna);
  for (const wanted of [{ workspaceId: bert.workspaceId }, { workspaceId: anna.workspaceId, tabId: other }]) {
    const { view } = told<{ view: { workspaceId: string; tabId: string } }>(await person.call("view_select", wanted));
    says("person", `now looks at ${view.workspaceId}/${view.tabId}`);
  }
  const tabs = new Set(await answers);
  const after = await cursors([anna, bert]);
  says("anna", `her cursor is ${after[0]}; the person looks at her ${other}`);
  claim("the view moved twice and neither cursor moved", before.join() === after.join(), { before, after });
  claim(
    "every answer that anna got meanwhile was about her cursor's tab",
    tabs.size === 1 && tabs.has(after[0] ?? ""),
    [...tabs],
  );
  const { view, cursor } = told<{ view: { tabId: string }; cursor: { tabId: string } }>(
    await person.call("view_status"),
  );
  claim(
    `view and cursor are two values: ${view.tabId} and ${cursor.tabId}`,
    view.tabId === other && cursor.tabId === after[0],
    { view, cursor },
  );
}

async function reads(agent: Agent): Promise<string[]> {
  const tabs: string[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) tabs.push(tabOf(await agent.does("browser_snapshot")));
  return tabs;
}

function cursors(agents: readonly Agent[]): Promise<string[]> {
  return Promise.all(
    agents.map(async ({ client, workspaceId }) => (await statusOf(client, workspaceId)).cursor?.tabId ?? "none"),
  );
}

export async function wrongTabRefused({ anna }: Scene): Promise<void> {
  chapter("A question about another tab is refused, not answered from the wrong one");
  const { cursor, tabs } = await statusOf(anna.client, anna.workspaceId);
  const other = tabs.find(({ tabId }) => tabId !== cursor?.tabId)?.tabId ?? "";
  const answer = await anna.call("browser_snapshot", { tabId: other });
  says("anna", `asks for ${other} while her task holds ${cursor?.tabId}`);
  says("holdfast", `${answer.code}: ${answer.meta.error?.message}`);
  claim("the read was refused by its code", answer.code === "MCP_TARGET_TAB_BUSY", answer.text);
  const details = answer.meta.error?.details.cursor as { tabId?: string } | undefined;
  claim("the refusal names the cursor, which is where it was", details?.tabId === cursor?.tabId, details);
  const read = await anna.does("browser_snapshot");
  claim("without a tab she is answered from her cursor", tabOf(read) === cursor?.tabId, read.text);
}
