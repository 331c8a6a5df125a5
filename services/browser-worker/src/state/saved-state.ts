import type { SavedProject } from "@holdfast/protocol";
import { z } from "zod";
import { missing } from "../core/storage.js";
import { READ_STORAGE_MS, SAVE_PAGE_MS } from "../limits.js";
import type { Project } from "../project.js";
import type { StorageState } from "../tabs/profiles.js";
import type { Tab } from "../tabs/tab.js";
import { within } from "../within.js";
import { readPage, type SavedPage, savedPage } from "./saved-page.js";

const storage = z.custom<StorageState>(
  (value) => value !== null && typeof value === "object" && "cookies" in value && "origins" in value,
);

/** A project as it is saved: one object, switched as a whole. */
export const savedState = z.object({
  savedAt: z.string(),
  profiles: z.array(
    z.object({
      profileId: z.string(),
      /** Of a verified session. */
      storage,
      /** Of a session that lost something on its way: kept beside, and never in its place. */
      unverified: storage.optional(),
    }),
  ),
  pages: z.array(savedPage),
});
export type SavedState = z.infer<typeof savedState>;
type SavedProfile = SavedState["profiles"][number];

/** What was verified of a profile whose session is less than that, and until when that stands in its place. */
export interface KeptProfile {
  readonly storage: StorageState;
  /** complete: until all of it is there again. logged_in: until a look has shown it, as any visitor may have things of those names. */
  readonly until: "complete" | "logged_in";
}
export type Kept = Map<string, KeptProfile>;

export interface Collected {
  readonly state: SavedState;
  readonly told: SavedProject;
}

/** Reads storage, drafts and positions. What was saved before and is not in use now is kept as it is. */
export async function collect(project: Project, kept: Kept): Promise<Collected> {
  const unread: string[] = [];
  const pages: SavedPage[] = [];
  for (const tab of project.open) {
    const page = await pageOf(project, tab);
    if (page) pages.push(page);
    if (page === null && tab.live) unread.push(tab.id);
  }
  const profiles: SavedProfile[] = [];
  for (const [profileId, saved] of project.profiles.saved) {
    if (!project.profiles.inUse.includes(profileId)) profiles.push(judged(profileId, saved, kept));
  }
  for (const profileId of project.profiles.inUse) {
    const now = await storageOf(project, profileId);
    if (now) profiles.push(judged(profileId, now, kept));
  }
  const { workspaceId } = project;
  const drafts = pages.reduce((sum, page) => sum + page.drafts.length, 0);
  const told = { workspaceId, saved: true, profiles: profiles.length, tabs: project.open.length, drafts };
  const reason = `The pages of ${unread.join(", ")} did not answer: their drafts are not saved.`;
  return {
    state: { savedAt: new Date().toISOString(), profiles, pages },
    told: unread.length === 0 ? told : { ...told, reason },
  };
}

/** A session that has again all that it lost is a verified one. */
function judged(profileId: string, now: StorageState, kept: Kept): SavedProfile {
  const before = kept.get(profileId);
  if (!before) return { profileId, storage: now };
  const { storage, until } = before;
  if (until === "logged_in" || missing(storage, now, Date.now(), false).length > 0)
    return { profileId, storage, unverified: now };
  kept.delete(profileId);
  return { profileId, storage: now };
}

/** What the browser keeps for a profile; as it was read last, when it cannot be read now. */
export async function storageOf(project: Project, profileId: string): Promise<StorageState | undefined> {
  const { profiles } = project;
  let read: StorageState | undefined;
  await within(
    READ_STORAGE_MS,
    profiles.storage(profileId).then((now) => {
      read = now;
    }),
  );
  if (read) profiles.saved.set(profileId, read);
  return profiles.saved.get(profileId);
}

/** The page of a tab as it is; as it was read last, where it is asleep, at work, or answers nothing. */
async function pageOf(project: Project, tab: Tab): Promise<SavedPage | null> {
  const known = project.savedPages.get(tab.id);
  const last = known?.url === tab.record.url ? known : null;
  const page = tab.live?.page;
  // A page behind a dialog answers nothing, and one at work is not disturbed.
  if (!page || tab.dialog || project.running?.tab === tab) return last;
  const { url } = tab.record;
  let read: SavedPage | null = null;
  const reading = readPage(page).then((found) => {
    read = { tabId: tab.id, url, ...found };
  });
  await within(SAVE_PAGE_MS, reading);
  if (read) project.savedPages.set(tab.id, read);
  return read;
}
