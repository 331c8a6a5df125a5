import type { StackChild } from "@holdfast/cli";
import { type TestStack, until } from "@holdfast/testkit";
import { type Client, statusOf, told } from "./work.js";

/** A killed child is there again within this, in ms, also on a slow machine. */
const BACK_MS = 40_000;

export function childNamed({ stack }: TestStack, name: string): StackChild {
  const found = stack.children.find((child) => child.name === name);
  if (!found || found.pid === 0) throw new Error(`The stack has no ${name} at this moment.`);
  return found;
}

/** Kills a child as a crash does, and gives how to wait until its next life serves. */
export function kill(stack: TestStack, name: string): { readonly back: () => Promise<StackChild> } {
  const { pid } = childNamed(stack, name);
  process.kill(pid, "SIGKILL");
  const isBack = (): StackChild | undefined =>
    stack.stack.children.find((child) => child.name === name && child.state === "running" && child.pid !== pid);
  return { back: () => until(isBack, { deadlineMs: BACK_MS, why: `${name} is back` }) };
}

/** Stops a child as a debugger, a full disk or a sleeping laptop does; it does not notice. */
export function freeze(stack: TestStack, name: string): { readonly thaw: () => void } {
  const { pid } = childNamed(stack, name);
  process.kill(pid, "SIGSTOP");
  return { thaw: () => void process.kill(pid, "SIGCONT") };
}

export interface Holder {
  readonly workerId: string;
  readonly pid: number;
  readonly epoch: number;
}

/** The worker that serves a project, and the name of its process in the stack. */
export async function holderOf(
  stack: TestStack,
  client: Client,
  workspaceId: string,
): Promise<Holder & { readonly name: string }> {
  const { worker } = (await statusOf(client, workspaceId)) as unknown as { worker: Holder | null };
  if (!worker) throw new Error(`No worker serves ${workspaceId}.`);
  const child = stack.stack.children.find(({ pid }) => pid === worker.pid);
  if (!child) throw new Error(`The worker of ${workspaceId} is no child of the stack.`);
  return { ...worker, name: child.name };
}

/** Waits until another worker than this one serves the project. */
export async function movedFrom(
  client: Client,
  workspaceId: string,
  { workerId }: Holder,
  deadlineMs = BACK_MS,
): Promise<Holder> {
  const moved = async (): Promise<Holder | false> => {
    const { worker } = told<{ worker: Holder | null }>(await client.call("project_status", { workspaceId }));
    return worker !== null && worker.workerId !== workerId && worker;
  };
  return until(moved, { deadlineMs, why: `another worker serves ${workspaceId}` });
}
