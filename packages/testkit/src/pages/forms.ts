import type { IncomingMessage } from "node:http";
import { escapeHtml, fixedPage, type Pages, sendPage } from "./page.js";

/** Pages that take something in: fields, files, keys. */
export const formPages: Pages = {
  "/form": fixedPage({
    body: `<form id="form" method="post" action="/form/sent">
<label>Text <input name="text" id="text"></label>
<label>Area <textarea name="area" id="area"></textarea></label>
<div id="editable" contenteditable="true" role="textbox" aria-label="Editable"></div>
<label>Select <select name="select" id="select"><option value="1">one</option><option value="2">two</option></select></label>
<label>Password <input name="password" id="password" type="password"></label>
<label>Check <input name="check" id="check" type="checkbox"></label>
<label>Red <input name="colour" type="radio" value="red"></label>
<label>Blue <input name="colour" type="radio" value="blue"></label>
<label>Range <input name="range" id="range" type="range" min="0" max="10" value="5"></label>
<button id="send">send</button></form>`,
  }),
  /** An editor with a text of its own and fields that a script adds, which save themselves: each change is a hit. */
  "/editor": fixedPage({
    body: `<div id="rich" contenteditable="true" role="textbox" aria-label="Rich"><b>bold</b> as it came</div>
<label>Red <input name="colour" id="red" type="radio" value="red" checked></label>
<label>Blue <input name="colour" id="blue" type="radio" value="blue"></label>
<div id="added"></div>`,
    script: `
document.addEventListener("input", () => fetch("/hit?id=editor", { method: "POST" }));
window.add = (count) => {
  for (let n = 0; n < count; n += 1) document.getElementById("added").append(Object.assign(document.createElement("input"), { id: "added-" + n }));
};`,
  }),

  /** Shows what was sent, but no password. */
  "/form/sent": async (request, response) => {
    const sent = new URLSearchParams(await bodyOf(request.incoming));
    const shown = [...sent].filter(([name]) => name !== "password").map(([name, value]) => `${name}=${value}`);
    sendPage(request, response, { body: `<pre id="sent">${escapeHtml(shown.join("\n"))}</pre>` });
  },

  "/up": fixedPage({
    body: '<label>File <input id="file" type="file" multiple></label><output id="taken"></output>',
    script: `
document.getElementById("file").onchange = (event) => {
  document.getElementById("taken").textContent = [...event.target.files].map((file) => file.name + " " + file.size).join(", ");
};`,
  }),

  /** Every typed value goes to the console. */
  "/log": fixedPage({
    body: '<label>Secret <input id="secret" type="password"></label><label>Open <input id="open"></label>',
    script: 'document.addEventListener("input", (event) => console.log("typed", event.target.value));',
  }),
};

export async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
