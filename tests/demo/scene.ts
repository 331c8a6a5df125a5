import type { PageServer, TestStack, ToolAnswer } from "@holdfast/testkit";
import { type Client, fine, told, type Work } from "../support/work.js";

/** The stage: a whole Holdfast, a local site, and two agents that each have a project of their own. */
export interface Scene {
  readonly stack: TestStack;
  readonly site: PageServer;
  readonly anna: Agent;
  readonly bert: Agent;
}

export interface Agent extends Work {
  readonly name: string;
  /** Calls a tool for the agent's task, and throws unless it goes well. */
  readonly does: Work["call"];
}

/** Connects an agent, opens its project and starts a task that holds it. */
export async function agentIn(client: Client, name: string, workspaceId: string): Promise<Agent> {
  told(await client.call("project_open", { workspaceId }));
  const { taskId } = told<{ taskId: string }>(
    await client.call("task_start", { workspaceId, goal: `${name}'s errands`, owner: name }),
  );
  return acting(client, { name, workspaceId, taskId });
}

/** The same agent over another connection. */
export function acting(client: Client, who: Pick<Agent, "name" | "workspaceId" | "taskId">): Agent {
  const { name, workspaceId, taskId } = who;
  const call: Agent["call"] = (tool, args = {}) => client.call(tool, { workspaceId, taskId, ...args });
  return { name, workspaceId, taskId, client, call, does: async (tool, args) => fine(await call(tool, args)) };
}

/** `shop-a/default/t1`: whose answer it is. */
export function placeOf({ meta }: ToolAnswer): string {
  const { target } = meta;
  return target ? `${target.workspaceId}/${target.profileId}/${target.tabId}` : "no tab";
}

export function tabOf({ meta }: ToolAnswer): string {
  return meta.target?.tabId ?? "";
}
