import type { LoginSeen, RestoredItem } from "@holdfast/protocol";
import { missing } from "../core/storage.js";
import type { Project } from "../project.js";
import type { StorageState } from "../tabs/profiles.js";
import type { Tab } from "../tabs/tab.js";
import { type Login, lookAtLogin } from "./login.js";
import type { SavedPage } from "./saved-page.js";
import type { Loaded, StateKeeper } from "./state-keeper.js";

export interface Restored {
  readonly items: RestoredItem[];
  readonly logins: LoginSeen[];
}

/** How many things that are not there are named. */
const NAMED_MAX = 3;

/** Brings a project back, and says of each thing whether it was seen to be back. */
export async function restoreState(
  project: Project,
  loaded: Loaded,
  { keeper, logins }: { readonly keeper: StateKeeper; readonly logins: readonly Login[] },
): Promise<Restored> {
  const items: RestoredItem[] = loaded.unreadable.map((reason) => ({
    what: "profile",
    id: "all",
    state: "not_restored",
    reason,
  }));
  const seen: LoginSeen[] = [];
  for (const { profileId, storage } of loaded.state?.profiles ?? []) {
    const login = logins.find((each) => each.profileId === profileId);
    const { item, looked } = await restoreProfile(project, { profileId, storage, login });
    const until = looked === undefined ? "complete" : "logged_in";
    if (item.state !== "verified") keeper.distrust(project, profileId, { storage, until });
    if (looked) seen.push(looked);
    items.push(item);
  }
  for (const tab of project.open) items.push(...(await restoreTab(project, tab)));
  const cursor = project.cursor;
  if (cursor)
    items.push({ what: "cursor", id: cursor.tabId, state: "verified", reason: "It was never anywhere else." });
  return { items, logins: seen };
}

interface Saved {
  readonly profileId: string;
  readonly storage: StorageState;
  readonly login: Login | undefined;
}

async function restoreProfile(project: Project, saved: Saved): Promise<{ item: RestoredItem; looked?: LoginSeen }> {
  const { profileId, storage, login } = saved;
  const as = (state: RestoredItem["state"], reason: string): RestoredItem => ({
    what: "profile",
    id: profileId,
    state,
    reason,
  });
  try {
    const now = await project.profiles.storage(profileId);
    const lost = missing(storage, now, Date.now(), true);
    if (lost.length > 0) {
      const named = lost.slice(0, NAMED_MAX).join(", ");
      return { item: as("restored_unverified", `${lost.length} of its things are not there: ${named}.`) };
    }
    const read = `${now.cookies.length} cookies and the storage of ${now.origins.length} origins were read back.`;
    if (!login) return { item: as("verified", read) };
    const looked = await lookAtLogin(project, login);
    const good = looked.state === "logged_in";
    return { item: as(good ? "verified" : "restored_unverified", `${read} ${looked.reason}`), looked };
  } catch (thrown) {
    return { item: as("not_restored", reasonOf(thrown)) };
  }
}

/** Only the cursor's tab is loaded at once; the others wake on use, and their drafts with them. */
async function restoreTab(project: Project, tab: Tab): Promise<RestoredItem[]> {
  const item = { what: "tab", id: tab.id } as const;
  const saved = project.savedPages.get(tab.id);
  if (tab.id !== project.cursor?.tabId) {
    const asleep = `It sleeps at ${tab.record.url}, and wakes on use.`;
    return [
      { ...item, state: "restored_unverified", reason: asleep },
      ...drafts(tab, saved, () => ["restored_unverified", "It is kept until its tab wakes."]),
    ];
  }
  const { url } = tab.record;
  try {
    const failed = await project.wake(tab, { load: true });
    const now = tab.page().page.url();
    if (url === "about:blank") return [{ ...item, state: "verified", reason: "It is empty, as it was." }];
    const status = await statusOf(tab);
    const there = now === url && status < 400;
    const told = now === url ? `It is at ${url}, which answered ${status}.` : `It was at ${url} and is at ${now}.`;
    return [
      { ...item, state: there ? "verified" : "restored_unverified", reason: told },
      ...drafts(tab, saved, (draft) =>
        failed.includes(draft)
          ? ["not_restored", "The page has no such field that takes it."]
          : ["verified", "Its value was read back."],
      ),
    ];
  } catch (thrown) {
    const reason = reasonOf(thrown);
    const kept = "Its page could not be loaded; it is kept until the tab wakes.";
    return [{ ...item, state: "not_restored", reason }, ...drafts(tab, saved, () => ["not_restored", kept])];
  }
}

function drafts(
  tab: Tab,
  saved: SavedPage | undefined,
  judge: (draft: SavedPage["drafts"][number]) => readonly [RestoredItem["state"], string],
): RestoredItem[] {
  const judged = (saved?.drafts ?? []).map((draft): RestoredItem => {
    const [state, reason] = judge(draft);
    return { what: "draft", id: `${tab.id} ${draft.selector}`, state, reason };
  });
  const unsaved = saved?.unsaved ?? 0;
  if (unsaved === 0) return judged;
  const reason = `${unsaved} filled fields are not saved: secrets, files, or more than is kept.`;
  return [...judged, { what: "draft", id: `${tab.id} unsaved`, state: "not_restored", reason }];
}

/** What the site answered for the page that a tab shows; 0 where nothing was asked for. */
function statusOf(tab: Tab): Promise<number> {
  return tab.page().page.evaluate(() => {
    const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    return navigation?.responseStatus ?? 0;
  });
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
