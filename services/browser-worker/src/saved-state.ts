import type { Artifacts } from "@holdfast/bus";
import type { RestoredItem, SavedProject } from "@holdfast/protocol";
import { z } from "zod";
import { SAVE_PAGE_MS, WAKE_MS } from "./limits.js";
import type { StorageState } from "./profiles.js";
import type { Project } from "./project.js";
import { readPage, restorePage, type SavedPage, savedPage } from "./saved-page.js";
import type { Tab } from "./tab.js";
import { within } from "./within.js";

/** A project as it was saved: one object, switched as a whole. */
const savedState = z.object({
  savedAt: z.string(),
  profiles: z.array(
    z.object({ profileId: z.string(), storage: z.custom<StorageState>((value) => typeof value === "object") }),
  ),
  pages: z.array(savedPage),
});
type SavedState = z.infer<typeof savedState>;

const nameOf = (project: Project): string => `${project.workspaceId}/state`;

/** Saves storage, drafts and positions. What was saved before and is not in use now is kept as it is. */
export async function saveState(project: Project, store: Artifacts): Promise<SavedProject> {
  const pages: SavedPage[] = [...project.savedPages.values()];
  const unread: string[] = [];
  for (const tab of project.open) {
    const page = await readTab(tab);
    if (page) pages.push(page);
    else if (tab.live) unread.push(tab.id);
  }
  const profiles: SavedState["profiles"] = [];
  for (const [profileId, storage] of project.profiles.saved) {
    if (!project.profiles.inUse.includes(profileId)) profiles.push({ profileId, storage });
  }
  for (const profileId of project.profiles.inUse) {
    const context = await project.profiles.context(profileId);
    profiles.push({ profileId, storage: await context.storageState({ indexedDB: true }) });
  }
  const state: SavedState = { savedAt: new Date().toISOString(), profiles, pages };
  await store.put(nameOf(project), "application/json", new TextEncoder().encode(JSON.stringify(state)));
  const drafts = pages.reduce((sum, page) => sum + page.drafts.length, 0);
  const told = {
    workspaceId: project.workspaceId,
    saved: true,
    profiles: profiles.length,
    tabs: project.open.length,
    drafts,
  };
  return unread.length === 0
    ? told
    : { ...told, reason: `The pages of ${unread.join(", ")} did not answer: their drafts are not saved.` };
}

async function readTab(tab: Tab): Promise<SavedPage | null> {
  const page = tab.live?.page;
  // A page behind a dialog answers nothing.
  if (!page || tab.dialog) return null;
  let read: Pick<SavedPage, "scroll" | "drafts"> | null = null;
  const reading = readPage(page).then((found) => {
    read = found;
  });
  await within(SAVE_PAGE_MS, reading);
  return read ? { tabId: tab.id, url: tab.record.url, ...(read as Pick<SavedPage, "scroll" | "drafts">) } : null;
}

/** Takes over what was saved; nothing of it is in a browser yet. */
export async function loadState(project: Project, store: Artifacts): Promise<SavedState | null> {
  const data = await store.get(nameOf(project));
  if (!data) return null;
  const state = savedState.parse(JSON.parse(new TextDecoder().decode(data)));
  for (const { profileId, storage } of state.profiles) project.profiles.saved.set(profileId, storage);
  for (const page of state.pages) project.savedPages.set(page.tabId, page);
  return state;
}

/** Brings a project back, and says of each thing whether it was seen to be back. */
export async function restoreState(project: Project, state: SavedState): Promise<RestoredItem[]> {
  const items: RestoredItem[] = [];
  for (const { profileId, storage } of state.profiles) items.push(await restoreProfile(project, profileId, storage));
  for (const tab of project.open) items.push(...(await restoreTab(project, tab)));
  const cursor = project.cursor;
  if (cursor)
    items.push({ what: "cursor", id: cursor.tabId, state: "verified", reason: "It was never anywhere else." });
  return items;
}

async function restoreProfile(project: Project, profileId: string, storage: StorageState): Promise<RestoredItem> {
  const item = { what: "profile", id: profileId } as const;
  try {
    const now = await (await project.profiles.context(profileId)).storageState({ indexedDB: true });
    const missing = storage.cookies.filter(
      (old) =>
        !now.cookies.some(
          (cookie) => cookie.name === old.name && cookie.domain === old.domain && cookie.value === old.value,
        ),
    );
    const live = missing.filter((cookie) => cookie.expires === -1 || cookie.expires * 1_000 > Date.now());
    if (live.length > 0)
      return {
        ...item,
        state: "restored_unverified",
        reason: `${live.length} of ${storage.cookies.length} cookies are not there.`,
      };
    return {
      ...item,
      state: "verified",
      reason: `${now.cookies.length} cookies and the storage of ${now.origins.length} origins were read back.`,
    };
  } catch (thrown) {
    return { ...item, state: "not_restored", reason: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** Only the cursor's tab is loaded at once; the others wake on use. */
async function restoreTab(project: Project, tab: Tab): Promise<RestoredItem[]> {
  const item = { what: "tab", id: tab.id } as const;
  if (tab.id !== project.cursor?.tabId)
    return [{ ...item, state: "restored_unverified", reason: `It sleeps at ${tab.record.url}, and wakes on use.` }];
  const { url } = tab.record;
  const saved = project.savedPages.get(tab.id);
  try {
    await project.wake(tab, { load: false });
    const { page } = tab.page();
    if (url === "about:blank") return [{ ...item, state: "verified", reason: "It is empty, as it was." }];
    await page.goto(url, { timeout: WAKE_MS, waitUntil: "domcontentloaded" });
    const failed = saved ? await restorePage(page, saved) : [];
    project.savedPages.delete(tab.id);
    const there = page.url() === url;
    const told = there ? `It is at ${url}.` : `It was at ${url} and is at ${page.url()}.`;
    const drafts = (saved?.drafts ?? []).map((draft): RestoredItem => {
      const back = !failed.includes(draft);
      const id = `${tab.id} ${draft.selector}`;
      return {
        what: "draft",
        id,
        state: back ? "verified" : "not_restored",
        reason: back ? "Its value was read back." : "The page has no such field that takes it.",
      };
    });
    return [{ ...item, state: there ? "verified" : "restored_unverified", reason: told }, ...drafts];
  } catch (thrown) {
    tab.record = { ...tab.record, url };
    return [{ ...item, state: "not_restored", reason: thrown instanceof Error ? thrown.message : String(thrown) }];
  }
}
