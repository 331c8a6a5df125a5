import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connectBus, openArtifacts, openStatePointers, STATE } from "@holdfast/bus";
import { type TestStack, until } from "@holdfast/testkit";
import { type Client, fine, told } from "./work.js";

/** A start brings projects back one after the other, each within this, in ms. */
const BACK_MS = 30_000;
/** A change is saved within this, in ms: the latest a save may begin, and what it takes on a slow machine. */
const SAVED_MS = 25_000;

export interface Report {
  readonly workspaceId: string;
  readonly savedAt: string;
  readonly ageMs: number;
  readonly items: readonly {
    readonly what: string;
    readonly id: string;
    readonly state: string;
    readonly reason: string;
  }[];
}

/** What a start reports of a project, once it does. */
export function restoreOf(client: Client, workspaceId: string): Promise<Report> {
  const look = async (): Promise<Report | undefined> => {
    const { restore } = told<{ restore: readonly Report[] }>(await client.call("system_status"));
    return restore.find((report) => report.workspaceId === workspaceId);
  };
  return until(look, { deadlineMs: BACK_MS, why: `the start reports on ${workspaceId}` });
}

/** Waits until something that was saved after this moment is what stands. */
export async function waitForSave(
  { endpoint }: TestStack,
  workspaceId: string,
  which: "current" | "aside" = "current",
): Promise<void> {
  const bus = await connectBus({ url: endpoint.natsUrl, name: "test" });
  const since = Date.now();
  try {
    const pointers = await openStatePointers(bus);
    const saved = async (): Promise<boolean> => {
      const entry = (await pointers.get(workspaceId))?.value[which];
      return entry ? Date.parse(entry.savedAt) > since : false;
    };
    await until(saved, { deadlineMs: SAVED_MS, why: `${workspaceId} is saved` });
  } finally {
    await bus.drain();
  }
}

/** What stands as a project's saved state, where it is not encrypted. */
export async function savedIn(
  { endpoint }: TestStack,
  workspaceId: string,
): Promise<{ readonly profiles: readonly { readonly storage: unknown }[] }> {
  const bus = await connectBus({ url: endpoint.natsUrl, name: "test" });
  try {
    const entry = (await (await openStatePointers(bus)).get(workspaceId))?.value.current;
    const data = entry && (await (await openArtifacts(bus, STATE)).get(entry.name));
    if (!data) throw new Error(`Nothing of ${workspaceId} is saved.`);
    return JSON.parse(new TextDecoder().decode(data)) as Awaited<ReturnType<typeof savedIn>>;
  } finally {
    await bus.drain();
  }
}

/** The values of fields of the cursor's page, by their ids. */
export async function drafted(client: Client, workspaceId: string, ids: readonly string[]): Promise<unknown> {
  const script = `() => ${JSON.stringify(ids)}.map((id) => document.getElementById(id).value)`;
  const { text } = fine(await client.call("browser_evaluate", { workspaceId, function: script }));
  return JSON.parse(text.split("\n").slice(1).join("\n"));
}

/** The files below a folder that have a text in them. */
export function filesNaming(folder: string, text: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter((path) => readFileSync(path).includes(text));
}

/** What a process has for itself, in MB; nothing for one that has ended. */
export function memoryOf(pid: number): number {
  try {
    const found = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return found ? Number(found[1]) / 1_024 : 0;
  } catch {
    return 0;
  }
}
