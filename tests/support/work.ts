import { type TestClient, type TestStack, type ToolAnswer, until } from "@holdfast/testkit";

export type Client = Pick<TestClient<unknown>, "call" | "close">;

/** A task that holds a project, and a client that works on it. */
export interface Work {
  readonly client: Client;
  readonly workspaceId: string;
  readonly taskId: string;
  /** Calls a tool for the task. */
  readonly call: (tool: string, args?: Record<string, unknown>) => Promise<ToolAnswer>;
}

/** What `project_status` tells, as far as tests look at it. */
export interface Status {
  readonly cursor: { readonly profileId: string; readonly tabId: string } | null;
  readonly execution: { readonly id: string; readonly state: string } | null;
  readonly tabs: readonly { readonly tabId: string; readonly url: string; readonly state: string }[];
  readonly operations: readonly OperationTold[];
  readonly memory: Readonly<Record<string, unknown>>;
}

export interface OperationTold {
  readonly operationId: string;
  readonly operation: string;
  readonly taskId: string | null;
  readonly outcome: string;
}

/** What a stop answers. */
export interface Stopped {
  readonly requested: boolean;
  readonly state: "stopped" | "stopping" | "already_ended";
  readonly interrupted: { readonly operationId: string; readonly outcome: string } | null;
  readonly discarded: number;
}

/** The structured content of an answer. @throws Error with the failure when there is one */
export function told<T>(answer: ToolAnswer): T {
  if (!answer.ok || answer.structured === null) throw new Error(`The call failed: ${answer.text}`);
  return answer.structured as T;
}

/** The answer itself, when it is none of a failure. */
export function fine(answer: ToolAnswer): ToolAnswer {
  if (!answer.ok) throw new Error(`The call failed: ${answer.text}`);
  return answer;
}

/** Opens a project on a connection of its own, at an address if one is given, and starts a task in it. */
export async function taskIn(stack: TestStack, workspaceId: string, url?: string): Promise<Work> {
  const client = await stack.client();
  told(await client.call("project_open", { workspaceId }));
  if (url !== undefined) fine(await client.call("browser_navigate", { workspaceId, url }));
  return nextTask(client, workspaceId);
}

/** Starts a task in a project that is open. */
export async function nextTask(client: Client, workspaceId: string, profileId = "default"): Promise<Work> {
  const named = { workspaceId, profileId, goal: "a test" };
  const { taskId } = told<{ taskId: string }>(await client.call("task_start", named));
  const call: Work["call"] = (tool, args = {}) => client.call(tool, { workspaceId, taskId, ...args });
  return { client, workspaceId, taskId, call };
}

export async function statusOf(client: Client, workspaceId: string): Promise<Status> {
  return told<Status>(await client.call("project_status", { workspaceId }));
}

export async function taskState(client: Client, { workspaceId, taskId }: Work): Promise<string> {
  return told<{ state: string }>(await client.call("task_status", { workspaceId, taskId })).state;
}

/** Stops a task from a connection, by its right names. */
export async function stopOf(client: Client, { workspaceId, taskId }: Work): Promise<Stopped> {
  return told<Stopped>(await client.call("task_stop", { workspaceId, profileId: "default", taskId }));
}

/** What stands for "soon" where the alternative is 30 s or never, in ms: it holds on a slow machine too. */
export const SOON_MS = 5_000;

/** Waits until an execution has ended as `stopped`. */
export async function ended(client: Client, work: Work): Promise<void> {
  await until(async () => (await taskState(client, work)) === "stopped", {
    deadlineMs: SOON_MS,
    why: "the task is stopped",
  });
}

/** Waits until the project has so many operations that are queued or under way. */
export async function pendingAre(client: Client, workspaceId: string, count: number): Promise<void> {
  const pending = async (): Promise<boolean> => {
    const { operations } = await statusOf(client, workspaceId);
    return operations.filter(({ outcome }) => outcome === "running" || outcome === "queued").length === count;
  };
  await until(pending, { deadlineMs: 30_000, why: `${count} operations of ${workspaceId} are pending` });
}

/** What is waited for, if it comes within `ms`. @throws Error that says what did not come */
export async function within<T>(ms: number, work: Promise<T>, why: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It did not end within ${ms} ms: ${why}`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A page script that tells the server and then never ends. */
export function loopAfterHit(id: string): string {
  return `() => { ${postNow(id)} for (;;) {} }`;
}

/** A page script that raises a counter, and has done so when it goes on. */
export function postNow(id: string): string {
  return `const request = new XMLHttpRequest(); request.open("POST", "/hit?id=${id}", false); request.send();`;
}
