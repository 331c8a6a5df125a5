import { ofStep } from "./promise.js";

export const stop = ofStep(1, {
  "stop.overtakes": "a stop overtakes a call that takes 30 s and the 500 changes queued behind it",
  "stop.discards": "a stop tells how many queued changes it discarded, and none of them is ever run",
  "stop.script-loop": "a stop ends the work of a page that is in an endless script loop",
  "stop.dialog": "a stop ends work that waits behind an open dialog",
  "stop.navigation": "a stop ends a navigation that hangs",
  "stop.other-task": "a stop that names another task is MCP_TASK_MISMATCH or MCP_TASK_NOT_FOUND, and the work goes on",
  "stop.other-profile": "a stop that names another profile is MCP_TASK_MISMATCH naming the field, and the work goes on",
  "stop.other-project": "a stop that names another project is a typed failure, and the work goes on",
  "stop.finished-task": "a stop of a task that has finished says so",
  "stop.twice": "a second stop of the same task gives the same end, and ends nothing else",
  "stop.against-completion": "a stop against a completion, 200 times, gives each operation exactly one end",
  "stop.others-do-not-notice": "a stop of one project's task is not noticed in the others",
  "stop.ends-the-work": "what a stopped task had going on in its page goes on no longer",
  "stop.frees-the-project": "a project takes a new task as soon as the old one is stopped",
});

export const disconnect = ofStep(1, {
  "disconnect.work-goes-on":
    "a task goes on when its client is killed in the middle of a call, and a new connection reads its result",
  "disconnect.nothing-twice":
    "asking again by the same operation id gives the stored outcome, and nothing is sent twice",
  "disconnect.conflict": "the same operation id with other arguments is MCP_OPERATION_CONFLICT, and nothing is run",
  "disconnect.no-orphans": "no browser is left without an owner when clients are killed",
  "disconnect.own-calls-end": "the waiting calls of a connection that ends, end with an error at the client",
  "disconnect.comes-back": "a new connection reads where the project stands: cursor, task, last operations and memory",
});

export const quit = ofStep(1, {
  "quit.refused-while-busy":
    "a quit while another project is busy is MCP_BACKGROUND_PROJECT_RUNNING naming it and its task, and nothing has changed",
  "quit.against-start":
    "a quit against a task that starts, 200 times: one of the two is refused, and no task is killed",
  "quit.saves": "a quit that passes saves drafts, storage, tabs, scroll and cursor, and answers closing",
  "quit.no-passwords": "no password is in anything that a quit saves",
  "quit.all-gone": "all processes are gone 10 s after a quit that passes",
  "quit.restores": "the next start brings back logins, tabs, scroll, drafts and cursor",
  "quit.reports": "the next start reports for each project what is verified, what is not, and what was not restored",
});

export const lifetimes = ofStep(1, {
  "lifetimes.apart": "a disconnect ends no task, a stop ends one task alone, and a quit that is refused ends nothing",
  "lifetimes.end-of-connection":
    "a client that closes its session in good order, or every one of its tabs, ends no task",
  "lifetimes.terminated": "SIGTERM saves and ends everything in 10 s, and the next start tells what it cut",
});

export const lostBrowser = ofStep(1, {
  "lost-browser.ended":
    "a browser that ends costs no tab: what was under way is unknown at once, and its projects work on where they were",
  "lost-browser.replaced":
    "a browser that answers nothing is ended, and its projects work on in a new one, where they were",
  "lost-browser.stopped": "what a stop has ended in a frozen browser does not happen when that browser goes on",
  "lost-browser.new-tabs":
    "a tab that a frozen browser does not open is a failure by its deadline, and no tab is left of it",
  "lost-browser.closed": "a project is closed, and opened again, though its browser answers nothing",
});

export const hanging = ofStep(1, {
  "hanging.state": "state is told, and a stop answered, while a page blocks its own thread",
  "hanging.reads": "reads are answered beside a call that takes long",
  "hanging.other-projects":
    "a browser that answers nothing holds up its own projects alone, and each call ends by its deadline",
  "hanging.dialog": "a call that a dialog holds up is answered with the dialog, and the dialog can be answered at once",
  "hanging.dialog-on-load": "a dialog that opens as a page loads is told with its kind and its text",
  "hanging.one-of-three": "of three tasks the one that is stopped alone changes its state",
});
