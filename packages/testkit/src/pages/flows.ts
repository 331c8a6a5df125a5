import { fixedPage, inScript, type Pages, sendPage, textOf } from "./page.js";

/** Tells the server what was put into each field, and only then goes on. */
const NOTE = `
async function note(what) { await fetch("/flow/note?" + new URLSearchParams(what)); }
document.addEventListener("change", (event) => {
  const { id, type, value, checked } = event.target;
  note({ field: id, value: type === "checkbox" || type === "radio" ? String(checked) : type === "password" ? value.length + " letters" : value });
});`;

/** Work that goes over several tabs and origins; the server's log has all of it. */
export const flowPages: Pages = {
  /** `popup`: where the link leads, in a tab of its own. */
  "/flow": (request, response) => {
    const popup = textOf(request, "popup", "/flow/popup");
    sendPage(request, response, {
      body: `<label>Name <input id="name"></label> <a id="go" href="${popup}" target="_blank">Get a code</a>
<label>After <input id="after"></label> <label>Secret <input id="secret" type="password"></label>
<label>Size <select id="size"><option value="s">small</option><option value="l">large</option></select></label>
<label>Agree <input id="agree" type="checkbox"></label>
<button id="send">Send</button><output id="sent"></output>`,
      script: `${NOTE}
document.getElementById("send").onclick = async () => {
  await note({ sent: document.getElementById("after").value });
  document.getElementById("sent").textContent = "sent";
};`,
    });
  },
  "/flow/popup": fixedPage({
    body: '<label>Code <input id="code"></label> <button id="done">Done</button>',
    script: `${NOTE}
document.getElementById("done").onclick = async () => {
  await note({ done: document.getElementById("code").value });
  window.close();
};`,
  }),
  "/flow/note": (_request, response) => {
    response.writeHead(200, { "content-type": "text/plain", "access-control-allow-origin": "*" });
    response.end("noted");
  },

  /** A button whose id is `id`: a page that changes between two visits. */
  "/flow/button": (request, response) => {
    const id = textOf(request, "id", "press");
    const label = textOf(request, "label", "Press");
    sendPage(request, response, {
      body: `<button id="${id}">${label}</button> <output id="pressed"></output>`,
      script: `${NOTE}
document.getElementById(${inScript(id)}).onclick = async () => {
  await note({ pressed: ${inScript(label)} });
  document.getElementById("pressed").textContent = "pressed";
};`,
    });
  },

  /** Everything that a recording tells apart. */
  "/flow/all": fixedPage({
    body: `<label>Text <input id="text" data-testid="the-text"></label> <label>Lines <textarea id="lines"></textarea></label>
<div id="rich" contenteditable="true" role="textbox" aria-label="Rich"></div>
<button id="twice">Twice</button> <div id="from" style="width:80px;height:40px;user-select:none;background:#ccd">from</div>
<div id="to" style="width:80px;height:40px;user-select:none;background:#dcc">to</div>
<button id="ask" onclick="confirm('sure?')">Ask</button>
<label>Card <input id="card" autocomplete="cc-number"></label> <label>Code <input id="otp" autocomplete="one-time-code"></label>
<form id="form" action="/a"><label>Query <input id="query" name="q"></label><button id="submit">Search</button></form>`,
  }),
};
