import { readdirSync, readFileSync } from "node:fs";
import type { StackChild } from "@holdfast/cli";
import { descendants, processes, type TestStack, until } from "@holdfast/testkit";
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

/** ms until every thread of a process stands: one of them has to take the signal first, and the others go on until then. */
const FROZEN_MS = 5_000;

/** Stops a child as a debugger, a full disk or a sleeping laptop does; it does not notice. It stands when this returns. */
export function freeze(stack: TestStack, name: string): { readonly thaw: () => void } {
  const { pid } = childNamed(stack, name);
  freezeProcess(pid);
  return { thaw: () => void process.kill(pid, "SIGCONT") };
}

/** The same for one that is no child of the stack. */
export function freezeProcess(pid: number): void {
  process.kill(pid, "SIGSTOP");
  const until = performance.now() + FROZEN_MS;
  while (!standsStill(pid)) if (performance.now() > until) throw new Error(`The process ${pid} did not stop.`);
}

export function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A worker's browser itself, without the processes that it has for its pages; undefined while it has none. */
export function findBrowser(workerPid: number): number | undefined {
  const all = descendants(workerPid, processes());
  return all.find(({ command }) => command.includes("--user-data-dir") && !command.includes("--type="))?.pid;
}

export function browserOf(workerPid: number): number {
  const found = findBrowser(workerPid);
  if (found === undefined) throw new Error("The worker has no browser.");
  return found;
}

function standsStill(pid: number): boolean {
  const stateOf = (thread: string): string | undefined =>
    readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8").split(") ").at(-1)?.[0];
  return readdirSync(`/proc/${pid}/task`).every((thread) => stateOf(thread) === "T");
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
