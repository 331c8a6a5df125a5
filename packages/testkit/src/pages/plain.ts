import { escapeHtml, fixedPage, numberOf, type Pages, sendPage, textOf } from "./page.js";

const PRESSED = `
document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) document.getElementById("pressed").textContent = "pressed: " + button.textContent;
});`;

const SHUFFLE = `
setInterval(() => {
  const rows = document.getElementById("rows");
  rows.append(rows.firstElementChild);
  rows.prepend(rows.children[Math.floor(Math.random() * rows.children.length)]);
}, 1000);`;

/** Pages that stay as they are, and those that are large, re-order themselves, or come with a frame. */
export const plainPages: Pages = {
  "/a": plain("alpha"),
  "/b": plain("beta"),
  "/c": plain("gamma"),

  /** `nodes` elements. */
  "/big": (request, response) => {
    const items = Array.from({ length: numberOf(request, "nodes", 20_000) }, (_, i) => `<li>item ${i}</li>`);
    sendPage(request, response, { body: `<ul>${items.join("\n")}</ul>` });
  },

  /** A page of `mb` megabytes of visible text. */
  "/big-bytes": (request, response) => {
    const paragraph = `<p>${"0123456789abcdef".repeat(64)}</p>\n`;
    const paragraphs = Math.ceil((numberOf(request, "mb", 1) * 1024 * 1024) / paragraph.length);
    sendPage(request, response, { body: paragraph.repeat(paragraphs) });
  },

  /** With `shuffle` the rows are re-ordered each second; each row's button says which row was pressed. */
  "/list": (request, response) => {
    const rows = Array.from({ length: 10 }, (_, i) => `<li id="row-${i}">row ${i} <button>press ${i}</button></li>`);
    const body = `<ul id="rows">${rows.join("\n")}</ul><output id="pressed"></output>`;
    const moves = request.url.searchParams.has("shuffle") ? SHUFFLE : "";
    sendPage(request, response, { body, script: `${PRESSED}\n${moves}` });
  },

  /** A page with another one (`src`) in a frame. */
  "/frame": (request, response) => {
    const source = escapeHtml(textOf(request, "src", "/form"));
    sendPage(request, response, { body: `<iframe src="${source}" width="600" height="400"></iframe>` });
  },

  /** Tall enough to scroll. */
  "/tall": fixedPage({ body: '<p>top</p><div style="height:5000px"></div><p>bottom</p>' }),
};

function plain(word: string): Pages[string] {
  return fixedPage({
    body: `<h1>${word}</h1><a href="/a">to a</a> <a href="/b">to b</a> <a href="/c">to c</a>
<button id="press">press ${word}</button><output id="pressed"></output>`,
    script: PRESSED,
  });
}
