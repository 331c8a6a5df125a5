import { fixedPage, inScript, numberOf, type Pages, sendPage, textOf } from "./page.js";

/** Pages that open others, in each of the ways a site does. */
export const windowPages: Pages = {
  "/blank": fixedPage({ body: '<a href="/b" target="_blank">open b</a> <a href="/c" target="_blank">open c</a>' }),

  /** A button that opens `n` windows of `to`, `delay` ms after the click; with 0, in the click itself. */
  "/open": (request, response) => {
    const delay = numberOf(request, "delay", 0);
    const script = `
function open_all() {
  for (let i = 0; i < ${numberOf(request, "n", 1)}; i += 1) window.open(${inScript(textOf(request, "to", "/b"))});
}
document.getElementById("open").onclick = () => ${delay > 0 ? `setTimeout(open_all, ${delay})` : "open_all()"};`;
    sendPage(request, response, { body: '<button id="open">open</button>', script });
  },

  /** As a sign-in does: the window writes into its opener, then closes itself after `ms`. */
  "/selfclose": (request, response) => {
    const popup = `/selfclose/popup?ms=${numberOf(request, "ms", 500)}`;
    const script = `document.getElementById("sign-in").onclick = () => window.open(${inScript(popup)}, "_blank", "width=400,height=300");`;
    sendPage(request, response, {
      body: '<button id="sign-in">sign in</button><output id="written"></output>',
      script,
    });
  },
  "/selfclose/popup": (request, response) => {
    const script = `
window.opener.document.getElementById("written").textContent = "signed in by the popup";
setTimeout(() => window.close(), ${numberOf(request, "ms", 500)});`;
    sendPage(request, response, { script });
  },

  /** The window it opens isolates itself, so that neither of the two can see the other. */
  "/coop": fixedPage({
    body: '<button id="open">open isolated</button>',
    script: 'document.getElementById("open").onclick = () => window.open("/coop/popup");',
  }),
  "/coop/popup": fixedPage({
    headers: { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" },
    script: 'document.body.append("opener: " + (window.opener ? "seen" : "none"));',
  }),
};
