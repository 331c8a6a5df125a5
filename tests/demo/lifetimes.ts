import { allGone, type ToolAnswer, until } from "@holdfast/testkit";
import { fine, pendingAre, postNow, statusOf, stopOf, taskState, told } from "../support/work.js";
import { acting, type Scene } from "./scene.js";
import { chapter, claim, says, timed } from "./story.js";

const QUEUED = 200;
/** Within this, in ms, a stop is answered; a busy machine has to keep it too. */
const STOP_MS = 1_000;
/** All processes are gone this many ms after a quit. */
const GONE_MS = 10_000;

export async function stopOvertakes({ stack, site, anna, bert }: Scene): Promise<void> {
  chapter("Stop does not stand in line");
  const click = `() => { ${postNow("queued")} }`;
  const calls = [
    anna.call("browser_wait_for", { time: 30 }),
    ...Array.from({ length: QUEUED }, () => anna.call("browser_evaluate", { function: click })),
  ];
  const operator = await stack.client();
  await pendingAre(operator, anna.workspaceId, calls.length);
  says("anna", `waits 30 s in her page, with ${QUEUED} changes queued behind it`);
  const { value: stopped, ms } = await timed(() => stopOf(operator, anna));
  says(
    "operator",
    `stops her task from another connection: ${stopped.state}, ${stopped.discarded} discarded, answered in ${ms} ms`,
  );
  claim(`the stop was answered in ${ms} ms, ahead of ${calls.length} calls`, stopped.requested && ms < STOP_MS, {
    stopped,
    ms,
  });
  const codes = new Set((await Promise.all(calls)).map(({ code }) => code));
  claim("every one of those calls was told MCP_STOPPED", codes.size === 1 && codes.has("MCP_STOPPED"), [...codes]);
  claim("not one of the queued changes reached the site", site.hits("queued") === 0, site.hits("queued"));
  claim("her task is stopped", (await taskState(operator, anna)) === "stopped", stopped);
  const read = await bert.does("browser_snapshot");
  claim("bert works on, as if nothing had been", (await taskState(operator, bert)) === "running" && read.ok, read.text);
}

interface Order {
  readonly operationId: string;
  readonly function: string;
}

export async function leavesAndReturns({ stack, site, bert }: Scene): Promise<void> {
  chapter("A client leaves in the middle of a call, and comes back");
  await bert.does("browser_navigate", { url: site.url("/a?m=order") });
  const order: Order = {
    operationId: "order-1",
    function: `async () => { ${postNow("order")} await new Promise((done) => setTimeout(done, 1000)); return "order 1 is placed"; }`,
  };
  const leaving = await stack.client();
  const lost = leaving.call("browser_evaluate", { workspaceId: bert.workspaceId, taskId: bert.taskId, ...order }).then(
    () => false,
    () => true,
  );
  await until(() => site.hits("order") === 1, { deadlineMs: 10_000, why: "the order has reached the site" });
  await leaving.close();
  says("bert", "orders, and his connection breaks before the answer comes");
  claim("his waiting call ended with an error at his side", await lost, "it was answered");
  claim(
    "his task goes on without him",
    (await taskState(bert.client, bert)) === "running",
    await statusOf(bert.client, bert.workspaceId),
  );
  const back = acting(await stack.client(), bert);
  const again = await back.does("browser_evaluate", { ...order });
  says("bert", `asks again with the same operationId: ${again.meta.operationId}, replayed: ${again.meta.replayed}`);
  claim(
    "he gets the outcome of the first call",
    again.meta.replayed && again.text.includes("order 1 is placed"),
    again.text,
  );
  claim("the site has one order, not two", site.hits("order") === 1, site.hits("order"));
}

export async function quitRefused({ stack, bert }: Scene): Promise<void> {
  chapter("Quit is refused while anybody works");
  const person = await stack.client("office");
  fine(await person.call("project_open", { workspaceId: "office" }));
  const refused = await person.call("system_quit");
  says("person", `quits from a project of his own, office: ${refused.code}`);
  says("holdfast", refused.meta.error?.message ?? "");
  const named = blockers(refused).some(([project, id]) => project === bert.workspaceId && id === bert.taskId);
  claim("the refusal names bert's project and his task", named, refused.text);
  await bert.does("browser_click", { target: "#press", element: "the button" });
  claim(
    "nothing has changed: bert's task runs, and his next click is done",
    (await taskState(bert.client, bert)) === "running",
    refused.text,
  );
  told(
    await bert.client.call("task_finish", {
      workspaceId: bert.workspaceId,
      taskId: bert.taskId,
      result: "all is ordered",
    }),
  );
  says("bert", "finishes his task");
}

interface Closing {
  readonly state: string;
  readonly saved: readonly { readonly workspaceId: string; readonly saved: boolean }[];
}

export async function quitPasses({ stack }: Scene): Promise<void> {
  chapter("Quit saves every project, and closes");
  const person = await stack.client("office");
  const processes = stack.processes();
  const { value: closing, ms } = await timed(async () => {
    const answer = told<Closing>(await person.call("system_quit"));
    await allGone(processes, GONE_MS);
    return answer;
  });
  says(
    "person",
    `quits again: ${closing.state}; saved ${closing.saved.map(({ workspaceId }) => workspaceId).join(", ")}`,
  );
  const saved = closing.saved.every((project) => project.saved);
  claim("every project was saved", closing.state === "closing" && saved, closing);
  claim(`all ${processes.length} processes were gone ${ms} ms after the quit was asked for`, ms < GONE_MS, { ms });
}

/** Who stands in the way of a quit, as its refusal tells programs. */
function blockers(refused: ToolAnswer): (readonly [string, string | undefined])[] {
  const told = refused.meta.error?.details.blockers as
    | { workspaceId: string; execution: { id: string } | null }[]
    | undefined;
  return (told ?? []).map(({ workspaceId, execution }) => [workspaceId, execution?.id] as const);
}
