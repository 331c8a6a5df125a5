import { type PageServer, startPageServer, startTestStack, type TestStack } from "@holdfast/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { fine, pendingAre, type Status, statusOf, taskIn, told } from "../support/work.js";

let stack: TestStack;
let pages: PageServer;

beforeAll(async () => {
  pages = await startPageServer();
  stack = await startTestStack();
});

afterAll(async () => {
  await stack?.stop();
  await pages?.close();
});

interface Blocker {
  readonly workspaceId: string;
  readonly execution: { readonly id: string } | null;
  readonly operations: number;
  readonly since: string;
}

const blockersOf = (details: Readonly<Record<string, unknown>> | undefined) => (details?.blockers ?? []) as Blocker[];
/** A page's own mark, which a load anew would not have. */
const KEPT = `() => { window.kept = (window.kept ?? 0) + 1; return "kept " + window.kept; }`;

describe("a quit while something goes on", () => {
  test(verifies("quit.refused-while-busy"), async () => {
    const idle = await stack.client("idle");
    fine(await idle.call("browser_navigate", { url: pages.url("/a") }));
    fine(await idle.call("browser_evaluate", { function: KEPT }));
    const busy = await taskIn(stack, "busy", pages.url("/b"));
    fine(await busy.call("browser_evaluate", { function: KEPT }));
    // A browser's own processes come and go with its pages; it and the services must not.
    const processes = stack
      .processes()
      .filter(({ command }) => !command.includes("--type=") && /node|nats-server|chrom/.test(command))
      .map(({ pid }) => pid);
    const before = await both();

    const answer = await idle.call("system_quit");
    expect(answer.code).toBe("MCP_BACKGROUND_PROJECT_RUNNING");
    expect(answer.text).toContain(busy.taskId);
    const blockers = blockersOf(answer.meta.error?.details);
    expect(blockers).toMatchObject([{ workspaceId: "busy", execution: { id: busy.taskId } }]);
    expect(Date.parse(blockers[0]?.since ?? "")).toBeLessThanOrEqual(Date.now());

    expect(await both()).toEqual(before);
    expect(processes.filter((pid) => !stack.processes().some((now) => now.pid === pid))).toEqual([]);
    expect(told<{ state: string }>(await idle.call("system_status")).state).toBe("running");
    expect(fine(await idle.call("browser_evaluate", { function: KEPT })).text).toContain("kept 2");
    expect(fine(await busy.call("browser_evaluate", { function: KEPT })).text).toContain("kept 2");
    told(await busy.call("task_finish"));

    async function both(): Promise<Status[]> {
      return [await statusOf(idle, "idle"), await statusOf(idle, "busy")];
    }
  });

  test(verifies("quit.refused-while-busy", "by a call without a task"), async () => {
    const client = await stack.client("a-call");
    const waits = client.call("browser_wait_for", { time: 1 });
    await pendingAre(client, "a-call", 1);
    const answer = await client.call("system_quit");
    expect(answer.code).toBe("MCP_BACKGROUND_PROJECT_RUNNING");
    expect(blockersOf(answer.meta.error?.details)).toMatchObject([
      { workspaceId: "a-call", execution: null, operations: 1 },
    ]);
    fine(await waits);
  });

  test(verifies("quit.refused-while-busy", "by several, asked ten times at once"), async () => {
    const works = await Promise.all(["one", "two", "three"].map((name) => taskIn(stack, name)));
    const client = await stack.client();
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.call("system_quit")));
    for (const answer of answers) {
      expect(answer.code).toBe("MCP_BACKGROUND_PROJECT_RUNNING");
      const named = blockersOf(answer.meta.error?.details).map(({ workspaceId }) => workspaceId);
      expect(named.sort()).toEqual(["one", "three", "two"]);
    }
    for (const work of works) {
      fine(await work.call("browser_navigate", { url: pages.url("/c") }));
      told(await work.call("task_finish"));
    }
  });
});
