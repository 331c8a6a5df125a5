import type { ProjectStatus, RestoreReport, TabRecord } from "@holdfast/protocol";
import type { ProjectState } from "./core/state.js";

const NEVER_LOOKED = "Nobody has looked since the start.";
const NO_CHECK = "The profile has no login check.";

/**
 * Three facts that are easily taken for each other, side by side: how people call a profile, what a look at its pages has
 * shown of its login, and which tab the work is about. None of them is inferred from another.
 */
export function identitiesTold(
  state: ProjectState,
  tabs: readonly TabRecord[],
  restored: RestoreReport | null,
): Pick<ProjectStatus, "profiles" | "taskTarget"> {
  const profiles = state.profiles.map((profile) => {
    const seen = restored?.logins?.find(({ profileId }) => profileId === profile.profileId);
    if (seen) return { ...profile, login: { state: seen.state, reason: seen.reason, at: seen.at } };
    const reason = profile.loginCheck ? NEVER_LOOKED : NO_CHECK;
    return { ...profile, login: { state: "not_checked" as const, reason, at: null } };
  });
  const { execution, cursor } = state;
  const tab = tabs.find(({ tabId }) => tabId === cursor?.tabId);
  if (!execution || !cursor) return { profiles, taskTarget: null };
  const { profileId, tabId } = cursor;
  return {
    profiles,
    taskTarget: { taskId: execution.id, profileId, tabId, url: tab?.url ?? "", title: tab?.title ?? "" },
  };
}
