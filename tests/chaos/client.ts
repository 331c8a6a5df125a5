import { pause } from "@holdfast/bus";
import { connectClient, type PageServer, type TestStack, type ToolAnswer } from "@holdfast/testkit";
import type { Client } from "../support/work.js";
import type { Random } from "./random.js";

/** Answers after which the same operation is asked for again: nobody is there, or another client's tab has the project for a moment. */
const AGAIN: readonly (string | null)[] = ["MCP_BUS_DOWN", "MCP_NO_WORKER", "MCP_TARGET_TAB_BUSY"];
/** ms between two asks of the same. */
const RETRY_MS = 200;
/** ms one ask may take: longer than a lease, so that a lost worker is not taken for a lost answer. */
const ASK_MS = 45_000;

/** What came of one operation, as its client was told last. */
export interface Told {
  readonly operationId: string;
  readonly code: string | null;
}

/** One client that clicks, and keeps book. It talks to whichever gateway is there. */
export class Clicker {
  readonly told: Told[] = [];
  readonly wrongTab: string[] = [];
  readonly waits: number[] = [];
  readonly #stack: TestStack;
  readonly #pages: PageServer;
  readonly #random: Random;
  readonly workspaceId: string;
  readonly #name: string;
  #client: Client | null = null;
  #taskId: string | null = null;
  #at: Record<string, unknown> = {};

  constructor(
    where: { stack: TestStack; pages: PageServer },
    random: Random,
    who: { name: string; workspaceId: string },
  ) {
    this.#stack = where.stack;
    this.#pages = where.pages;
    this.#random = random;
    this.#name = who.name;
    this.workspaceId = who.workspaceId;
  }

  async begin(withTask: boolean): Promise<void> {
    await this.#ask("project_open", {});
    if (!withTask) {
      // Where two share a project each has a tab of its own, and names it; a task is at the cursor.
      const tab = await this.#ask("browser_tabs", { action: "new", select: false, operationId: `${this.#name}-tab` });
      const { target } = (tab.structured ?? {}) as { target?: { tabId: string } };
      if (!target) throw new Error(`${this.#name} got no tab: ${tab.text}`);
      this.#at = { tabId: target.tabId };
      return;
    }
    const taskId = `task-${this.#name}`;
    await this.#ask("task_start", { taskId, goal: "chaos" });
    this.#at = { taskId };
    this.#taskId = taskId;
  }

  /** One effect: a page of its own, and a click on it that the server counts. */
  async effect(n: number): Promise<void> {
    const id = `${this.#name}-${n}`;
    const url = this.#pages.url(`/count?id=${id}`);
    const begun = performance.now();
    const there = await this.#work("browser_navigate", { url, operationId: `${id}-go` }, url);
    if (there.ok) await this.#work("browser_click", { target: "#hit", operationId: id }, url);
    this.waits.push(performance.now() - begun);
  }

  async end(): Promise<void> {
    await this.#client?.close().catch(() => undefined);
  }

  async #work(tool: string, args: Record<string, unknown>, url: string): Promise<ToolAnswer> {
    const answer = await this.#ask(tool, { ...args, ...this.#at });
    this.told.push({ operationId: String(args.operationId), code: answer.code });
    const { target } = answer.meta;
    const elsewhere = target !== null && (target.workspaceId !== this.workspaceId || (answer.ok && target.url !== url));
    if (elsewhere)
      this.wrongTab.push(`${tool} ${String(args.operationId)} was answered from ${JSON.stringify(target)}`);
    return answer;
  }

  /** Asks by the same id until there is an answer that says something. */
  async #ask(tool: string, args: Record<string, unknown>): Promise<ToolAnswer> {
    for (;;) {
      const answer = await this.#once(tool, { workspaceId: this.workspaceId, ...args });
      if (answer?.code === "MCP_TASK_NEEDS_CHECK") await this.#check(answer);
      else if (answer && !AGAIN.includes(answer.code)) return answer;
      await pause(RETRY_MS);
    }
  }

  async #once(tool: string, args: Record<string, unknown>): Promise<ToolAnswer | null> {
    try {
      this.#client ??= await this.#connect();
      return await this.#client.call(tool, args, { timeoutMs: ASK_MS });
    } catch {
      // The gateway has gone, or is stopped: the next ask goes to whichever is there.
      await this.#client?.close().catch(() => undefined);
      this.#client = null;
      return null;
    }
  }

  /** Looks at the real state, which here is the server's count, and says what it found. */
  async #check({ meta }: ToolAnswer): Promise<void> {
    const unknown = meta.error?.details.unknown;
    for (const operationId of Array.isArray(unknown) ? unknown.map(String) : []) {
      await this.#once("browser_snapshot", { workspaceId: this.workspaceId });
      const verdict = this.#pages.hits(operationId) > 0 ? "done" : "not_done";
      await this.#once("task_resolve", { workspaceId: this.workspaceId, taskId: this.#taskId, operationId, verdict });
    }
  }

  async #connect(): Promise<Client> {
    const { token } = this.#stack.endpoint;
    const gateways = this.#stack.stack.children.filter(({ service, port }) => service === "mcp-gateway" && port);
    const { port } = this.#random.pick(gateways);
    return connectClient({ url: `http://127.0.0.1:${port}/mcp`, ...(token ? { token } : {}) });
  }
}
