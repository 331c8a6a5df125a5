import { ofStep } from "./promise.js";

export const recording = ofStep(2, {
  "recording.across-tabs":
    "a recording has what was done in a new tab, in the tab that opened it, and where one went from one to the other",
  "recording.open-page": "a page that is open already is recorded without being loaded again",
  "recording.person": "a recording has a person's clicks, typing, choices, keys, dialogs and drags, in any frame",
  "recording.final-values": "a field is recorded once, with the value that it had in the end",
  "recording.uploads": "an upload is recorded by the names of its files",
  "recording.secrets":
    "what is typed into a password or another secret field is recorded as a placeholder, and stored nowhere",
  "recording.survives": "a recording goes on through reloads, other sites, and back and forward",
  "recording.isolated": "of two projects that are recorded at once each has its own steps and none of the other's",
  "recording.one-at-a-time":
    "a project is recorded once at a time, and asking again with the same id gives the same recording",
  "recording.gap-crash": "a recording whose tab crashed is not complete, and names the tab and since when",
  "recording.gap-worker": "a recording lives through the loss of its worker: it keeps what was told, and names the gap",
  "recording.agent-apart": "what an agent does is recorded with its operation, and so told apart from a person's steps",
  "recording.leaves-nothing": "a stopped recording hears nothing more, and the page works on",
  "recording.lists": "recordings are listed newest first, and are read in parts",
});

export const programs = ofStep(2, {
  "programs.same-log":
    "a flow that was recorded over a popup runs in a fresh project, and the site's log of both is the same",
  "programs.dialog": "a dialog that a person answered is answered the same way when the program comes to it",
  "programs.values": "what was typed is a parameter with a default, and a secret has to be given",
  "programs.no-client": "a program runs to its end with no client connected",
  "programs.by-hand": "a program can be written by hand, and one that is not of its form is refused with every problem",
  "programs.waits": "a step that fails waits for a decision, with the page and all that was tried",
  "programs.no-guess": "of two elements that a step could mean none is taken",
  "programs.retry": "a run that waits is tried again, and goes on",
  "programs.skip": "a step that a run waits at can be skipped",
  "programs.replace": "a step that a run waits at can be replaced by another",
  "programs.value": "a run that waits takes another value for a parameter",
  "programs.holds": "a run holds its project like a task: reads are answered, and changes of others are refused",
  "programs.stop": "a run is stopped by its own id, on the way that stops a task, also while it waits",
  "programs.stop-wrong": "a stop with another run, profile or project is refused, and touches nothing",
  "programs.once": "asking again with the same runId gives the same run, and nothing is done twice",
  "programs.worker-lost":
    "a run whose worker died in a step stands until somebody says what became of it, then goes on",
  "programs.taken-over": "a run goes on when the task-control that drove it dies",
  "programs.export": "a program is written as a Playwright test",
  "programs.locator": "each step tells the locator that found its element, also when the best one no longer does",
});
