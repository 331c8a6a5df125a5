import { decided, holder, refused, tell } from "./decision.js";
import type { Decision, InputOf } from "./inputs.js";
import { isBusy, type ProjectState } from "./state.js";

/** Opening again adds profiles, or describes them anew; it takes none away and touches nothing that goes on. */
export function open(state: ProjectState, input: InputOf<"open">): Decision {
  const given = new Map(input.profiles.map((profile) => [profile.profileId, profile]));
  const kept = state.profiles.map((profile) => given.get(profile.profileId) ?? profile);
  const added = input.profiles.filter((profile) => !state.profiles.some((old) => old.profileId === profile.profileId));
  const next = { ...state, open: true, profiles: [...kept, ...added], newTab: input.newTab ?? state.newTab };
  return decided(next, state.open ? [] : [tell({ fact: "project.opened" })]);
}

export function close(state: ProjectState): Decision {
  return decided({ ...state, open: false }, [tell({ fact: "project.closed" })]);
}

/** Quit is refused by one busy project: the asker takes his ask back from the others. */
export function quitBusy(state: ProjectState): Decision {
  return refused(state, "MCP_BACKGROUND_PROJECT_RUNNING", "", holder(state));
}

export function quitAsk(state: ProjectState, input: InputOf<"quit_ask">): Decision {
  if (isBusy(state)) return quitBusy(state);
  return decided({ ...state, quit: { quitId: input.quitId, phase: "asked", at: input.at } });
}

export function quitRelease(state: ProjectState, input: InputOf<"quit_release">): Decision {
  return decided(state.quit?.quitId === input.quitId ? { ...state, quit: null } : state);
}

/** The verdict is in: from here on nothing new begins. */
export function quitClose(state: ProjectState, input: InputOf<"quit_close">): Decision {
  if (state.quit?.quitId !== input.quitId)
    return refused(state, "MCP_BACKGROUND_PROJECT_RUNNING", "The ask to quit has lapsed.");
  return decided({ ...state, quit: { ...state.quit, phase: "closing" } });
}

export function restart(state: ProjectState): Decision {
  return decided(state.quit ? { ...state, quit: null } : state);
}

/** The verdict on a quit is a matter of milliseconds, and new work waits for it: either is refused, never both. */
export function wait(state: ProjectState): Decision {
  return { next: state, effects: [], reply: { reply: "wait" } };
}
