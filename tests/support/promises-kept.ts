import { ofStep } from "./promise.js";

export const state = ofStep(3, {
  "state.saved-on-change":
    "a half-filled form, a scroll position, tabs and a login come back after everything was killed, with their age",
  "state.saved-by-itself": "what a page keeps without being asked to is saved too, within seconds",
  "state.second-run": "a second run is logged in where the first one was",
  "state.unreadable-is-kept":
    "a saved state that cannot be read is reported, and nothing that is saved after it takes its place",
  "state.encrypted": "with a key no cookie and no draft is readable in the store, and the same key brings them back",
  "state.says-so": "the status says of each worker whether saved profiles are encrypted",
  "state.login-check":
    "a profile with a login check is verified when its page was looked at, and not verified when it shows no login",
  "state.three-facts":
    "a profile's display name, what a look at its login showed, and the task's target are three facts",
  "state.moves": "an exported project goes on elsewhere with its login, tabs, drafts and memory, under ids of its own",
  "state.import-is-checked": "an imported tab at an address that could not be asked for is not loaded",
  "state.moves-with-the-key":
    "an exported project that is encrypted is restored only where the key is the same, and says so",
  "state.import-takes-nobodys-place":
    "an import under the name of a project that there is, is refused, and nothing has changed",
  "state.which-tabs-remain":
    "after a cancel, a failure, a stop and a restart the project has the tabs that it had before",
});

export const sleep = ofStep(3, {
  "sleep.limit": "more tabs than may be awake sleep, those first that were used least, and each wakes as it was",
  "sleep.wakes":
    "a tab that sleeps wakes on a read or a select at its address, with its scroll position and its drafts",
  "sleep.touches-nothing": "a tab that wakes changes no text of the site's own, and waits for no field that is gone",
  "sleep.spares": "a busy project's cursor, a tab with a dialog and a tab with a half-typed password do not sleep",
  "sleep.idle": "a tab that nobody uses sleeps, and a profile without pages gives its browser context back",
  "sleep.one-page": "two who ask for a sleeping tab at once get the same page, whole",
  "sleep.many-projects": "many projects with five tabs each are held by one worker in flat memory",
});

export const orphans = ofStep(3, {
  "orphans.worker-killed": "10 s after a worker is killed its browser is gone, and what it put in the temporary folder",
  "orphans.browser-stopped":
    "a browser that is stopped, so that it notices nothing, is gone 10 s after its worker is killed",
  "orphans.reaper": "a start ends a browser that its own record proves to be a dead worker's, and no other process",
  "orphans.restarts": "a project that is restarted again and again has the same tabs each time, and no folder is left",
  "orphans.cycles": "projects are opened and closed again and again without a loss",
});

export const record = ofStep(3, {
  "record.history": "the history tells each change with who asked, its arguments, its outcome and how long it took",
  "record.refused": "the history tells what was refused and why, a read of another tab included",
  "record.pages": "the history is told in pages, newest first, each operation once",
  "record.verdict": "the history tells who said what of an operation whose end was not seen",
  "record.no-secrets": "a secret that is typed is in no answer, no log, no fact, no history and no key-value store",
  "record.replay": "facts are told again from any sequence, by the command line too",
  "record.decides-again": "a recorded history, decided again, gives the same states",
});
