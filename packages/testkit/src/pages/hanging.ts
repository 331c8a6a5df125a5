import type { ServerResponse } from "node:http";
import { fixedPage, HTML_HEADERS, head, inScript, numberOf, type Pages, sendPage, textOf } from "./page.js";

/** Pages that keep the one who waits for them waiting. */
export const hangingPages: Pages = {
  /** `kind`: alert, confirm, prompt, beforeunload. `when`: load, click, timer0 (just after the click). */
  "/dlg": (request, response) => {
    const body = '<button id="ask">ask</button><input id="touch" aria-label="touch"><output id="said"></output>';
    sendPage(request, response, {
      body,
      script: dialog(textOf(request, "kind", "alert"), textOf(request, "when", "click")),
    });
  },

  /** A button that blocks the page's main thread for `s` seconds; with s=forever, without end. */
  "/spin": (request, response) => {
    const end =
      textOf(request, "s", "60") === "forever" ? "Infinity" : `Date.now() + ${numberOf(request, "s", 60) * 1000}`;
    const script = `
function spin() { const end = ${end}; while (Date.now() < end); }
document.getElementById("spin").onclick = spin;`;
    sendPage(request, response, { body: '<button id="spin">spin</button>', script });
  },

  /** Answers after `s` seconds. */
  "/slow": async (request, response) => {
    if (await stillOpenAfter(response, numberOf(request, "s", 30) * 1000)) sendPage(request, response);
  },

  /** Its frame never ends, so its `load` never fires; its document is there at once. */
  "/noload": fixedPage({ body: '<h1>here</h1><iframe src="/noload/frame"></iframe>' }),
  "/noload/frame": (request, response) => {
    response.writeHead(200, HTML_HEADERS);
    response.write(`${head(request)}<p>never whole</p>`);
  },

  /** Takes `mb` megabytes of memory and keeps them. */
  "/mem": (request, response) => {
    const script = `
window.kept = Array.from({ length: ${numberOf(request, "mb", 100)} }, () => new Uint8Array(1048576).fill(1));
document.body.append("took " + window.kept.length + " MB");`;
    sendPage(request, response, { script });
  },
};

function dialog(kind: string, when: string): string {
  if (kind === "beforeunload") return 'window.onbeforeunload = (event) => { event.preventDefault(); return "stay?"; };';
  const call = `say(window[${inScript(kind)}](${inScript(`${kind} of the page`)}))`;
  return `
const say = (answer) => { document.getElementById("said").textContent = "said: " + answer; };
const ask = () => ${call};
${when === "load" ? "ask();" : ""}
document.getElementById("ask").onclick = () => ${when === "timer0" ? "{ setTimeout(ask, 0); }" : "ask()"};`;
}

/** Whether the one who asked is still there after the time; known at once when he leaves. */
function stillOpenAfter(response: ServerResponse, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), ms);
    response.once("close", () => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}
