import type { UrlDenied } from "@holdfast/protocol";
import type { ToolAnswer } from "@holdfast/testkit";
import { projectAt } from "./scene.js";
import { type Client, told } from "./work.js";

/** A project with URL rules, at a page of its own. */
export interface Ruled {
  readonly workspaceId: string;
  readonly call: (tool: string, args?: Record<string, unknown>) => Promise<ToolAnswer>;
  readonly tabId: string;
  readonly home: string;
}

export interface RuledOptions {
  readonly home: string;
  /** The arguments of `project_rules`. */
  readonly rules: Readonly<Record<string, unknown>>;
}

export async function ruledProject(client: Client, workspaceId: string, { home, rules }: RuledOptions): Promise<Ruled> {
  told(await client.call("project_open", { workspaceId }));
  told(await client.call("project_rules", { workspaceId, ...rules }));
  const [tabId = ""] = await projectAt(client, workspaceId, [home]);
  return { workspaceId, tabId, home, call: (tool, args) => client.call(tool, { workspaceId, ...args }) };
}

export function deniedIn({ meta }: ToolAnswer): readonly UrlDenied[] {
  return meta.denied ?? [];
}

/** The arguments of an evaluation that puts an element into the page. */
export function put(html: string): Record<string, unknown> {
  return { function: `() => { document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(html)}); }` };
}

export function inPage(body: string): Record<string, unknown> {
  return { function: `async () => { ${body} }` };
}
