import { createHash } from "node:crypto";
import { request } from "@holdfast/bus";
import {
  EXPORT_FORMAT,
  EXPORT_TEXT_CHARS_MAX,
  type ExportedProject,
  exportedProject,
  type Handlers,
  HoldfastError,
  newTabPolicy,
  profileShape,
  projectSettings,
  type recordOperations,
  type StatePointer,
  type TabRecord,
  tabRecord,
  wire,
} from "@holdfast/protocol";
import { z } from "zod";
import { newProject, type ProjectState } from "./core/state.js";
import { IMPORT_BYTES_MAX, SAVE_MS } from "./limits.js";
import type { Parts } from "./parts.js";
import { granted, statusTold } from "./told.js";

type Transfer = Pick<Handlers<typeof recordOperations, unknown>, "project_export" | "project_import">;
const JSON_TYPE = "application/json";

/** Moves projects from one place to another. What is encrypted stays so: its key never travels. */
export function transferHandlers(parts: Parts): Transfer {
  return {
    project_export: async ({ workspaceId, text: wantsText }) => {
      const state = await parts.store.get(workspaceId);
      await saveNow(parts, workspaceId);
      const packed = await pack(parts, state);
      const text = JSON.stringify(packed);
      const name = `${workspaceId}/export-${crypto.randomUUID()}`;
      const artifact = await parts.artifacts.put(name, JSON_TYPE, new TextEncoder().encode(text));
      return {
        workspaceId,
        artifact,
        encrypted: packed.state?.encrypted ?? false,
        savedAt: packed.state?.savedAt ?? null,
        tabs: packed.tabs.length,
        ...(wantsText && text.length <= EXPORT_TEXT_CHARS_MAX ? { text } : {}),
      };
    },
    project_import: async ({ workspaceId, artifact, text }) => {
      if (await parts.store.find(workspaceId)) throw exists(workspaceId);
      if ((await parts.quitMark.verdict()) === "closing") throw new HoldfastError("MCP_CLOSING");
      return unpack(parts, workspaceId, parse(await given(parts, artifact, text)));
    },
  };
}

/** What is in a browser is written down first, as far as a worker has the project. */
async function saveNow(parts: Parts, workspaceId: string): Promise<void> {
  const holder = parts.workers.holder(workspaceId);
  if (!holder) return;
  const options = { timeoutMs: SAVE_MS, nobody: "MCP_NO_WORKER" } as const;
  const reply = await request(parts.bus, wire.worker(holder.workerId, "save"), { workspaceId }, options);
  const { failure } = (reply ?? {}) as { failure?: { message?: unknown } };
  if (failure) throw new HoldfastError("MCP_NO_WORKER", `The project was not saved: ${String(failure.message)}`);
}

async function pack(parts: Parts, state: ProjectState): Promise<ExportedProject> {
  const { workspaceId, profiles, newTab, cursor } = state;
  const [table, memory, pointer, settings] = await Promise.all([
    parts.tabs.get(workspaceId),
    parts.memory.get(workspaceId),
    parts.statePointers.get(workspaceId),
    parts.settings.get(workspaceId),
  ]);
  const current = pointer?.value.current ?? null;
  const data = current ? await parts.states.get(current.name) : null;
  const tabIds = current?.tabIds ?? {};
  // Inside the state the tabs may still have the names that they had where it came from.
  const before = Object.fromEntries(Object.entries(tabIds).map(([old, now]) => [now, old]));
  const named = (tabId: string): string => before[tabId] ?? tabId;
  return {
    format: EXPORT_FORMAT,
    workspaceId,
    exportedAt: new Date().toISOString(),
    profiles: [...profiles],
    newTab,
    cursor: cursor && { ...cursor, tabId: named(cursor.tabId) },
    tabs: (table?.value.tabs ?? [])
      .filter((tab) => tab.state !== "closed")
      .map((tab) => ({ ...tab, tabId: named(tab.tabId), openerTabId: tab.openerTabId && named(tab.openerTabId) })),
    memory,
    settings: settings?.value,
    state:
      current && data
        ? { savedAt: current.savedAt, encrypted: current.encrypted, data: Buffer.from(data).toString("base64") }
        : null,
  };
}

async function given(parts: Parts, artifact: string | undefined, text: string | undefined): Promise<string> {
  if ((artifact === undefined) === (text === undefined)) {
    throw new HoldfastError("MCP_BAD_ARGUMENTS", "project_import: give artifact or text, one of the two.");
  }
  if (text !== undefined) return text;
  const data = await parts.artifacts.get(artifact ?? "");
  if (!data) throw new HoldfastError("MCP_BAD_ARGUMENTS", `There is no artifact ${artifact}.`, { artifact });
  return new TextDecoder().decode(data);
}

function parse(text: string): ExportedProject {
  if (text.length > IMPORT_BYTES_MAX) throw bad(`It has ${text.length} characters; ${IMPORT_BYTES_MAX} are allowed.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new HoldfastError("MCP_BAD_ARGUMENTS", "The exported project is not JSON.", {}, { cause });
  }
  const parsed = exportedProject.safeParse(value);
  if (parsed.success) return parsed.data;
  throw bad(parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
}

function bad(why: string): HoldfastError {
  return new HoldfastError("MCP_BAD_ARGUMENTS", `That is no exported project. ${why}`);
}

/** Ids of tabs are for life and belong to one project, so the tabs get new ones. */
async function unpack(parts: Parts, workspaceId: string, packed: ExportedProject) {
  const profiles = shaped(z.array(profileShape).min(1), packed.profiles);
  const records = shaped(z.array(tabRecord), packed.tabs);
  const ids: Record<string, string> = {};
  for (const { tabId } of records) ids[tabId] = await parts.mintTab();
  const named = (tabId: string | null): string | null => (tabId === null ? null : (ids[tabId] ?? null));
  const tabs = records.map(
    (tab): TabRecord => ({
      ...tab,
      tabId: ids[tab.tabId] ?? tab.tabId,
      openerTabId: named(tab.openerTabId),
      state: "sleeping",
    }),
  );
  const at = named(packed.cursor?.tabId ?? null);
  const cursor = at === null || !packed.cursor ? null : { profileId: packed.cursor.profileId, tabId: at };
  if ((await parts.tabs.create(workspaceId, { epoch: 0, tabs })) === null) throw exists(workspaceId);
  await putState(parts, workspaceId, packed, ids);
  for (const [key, value] of Object.entries(packed.memory)) await parts.memory.set(workspaceId, key, value);
  const settings = projectSettings.safeParse(packed.settings);
  if (settings.success) await parts.settings.create(workspaceId, settings.data);
  const first = tabs[0];
  const start = cursor ?? { profileId: first?.profileId ?? "default", tabId: first?.tabId ?? "" };
  const made = newProject(workspaceId, profiles, start);
  const newTab = newTabPolicy.catch("report").parse(packed.newTab);
  if (!(await parts.store.create({ ...made, cursor, newTab, open: false }))) throw exists(workspaceId);
  const decision = granted(await parts.store.apply(workspaceId, { input: "open", profiles: [], newTab: null }));
  parts.effects.publish(workspaceId, decision);
  return statusTold(parts, decision.next);
}

/** Its first worker finds it as a state that was saved: unread by us, and checked when it is restored. */
async function putState(
  parts: Parts,
  workspaceId: string,
  { state }: ExportedProject,
  tabIds: Record<string, string>,
): Promise<void> {
  if (!state) return;
  const data = Buffer.from(state.data, "base64");
  const name = `${workspaceId}/import-${crypto.randomUUID()}`;
  await parts.states.put(name, "application/octet-stream", data);
  const sha256 = createHash("sha256").update(data).digest("base64url");
  const { savedAt, encrypted } = state;
  const current = { name, savedAt, bytes: data.length, sha256, encrypted, tabIds };
  const pointer: StatePointer = { epoch: 0, current, previous: null, aside: null };
  if ((await parts.statePointers.create(workspaceId, pointer)) === null) throw exists(workspaceId);
}

function shaped<T>(shape: z.ZodType<T>, value: unknown): T {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  throw bad(parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
}

function exists(workspaceId: string): HoldfastError {
  return new HoldfastError("MCP_PROJECT_EXISTS", `There is a project ${workspaceId} already.`, { workspaceId });
}
