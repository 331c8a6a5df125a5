import { escapeHtml, inScript, numberOf, type PageRequest, type Pages, sendPage, textOf } from "./page.js";

/** Pages whose effect is on the server, or on what the browser keeps. */
export const serverSidePages: Pages = {
  /** POST adds one, and says how many there are; GET shows it, with a button that posts. */
  "/hit": (request, response) => {
    const id = textOf(request, "id", "hit");
    if (request.incoming.method !== "POST") return sendPage(request, response, counterPage(request, id));
    response.writeHead(200, { "content-type": "text/plain" });
    response.end(String(request.counters.add(id)));
  },

  /** A counter of its own for each `id`. With `every` it posts by itself, again and again, each so many ms. */
  "/count": (request, response) => {
    const every = numberOf(request, "every", 0);
    const page = counterPage(request, textOf(request, "id", "count"));
    sendPage(request, response, every > 0 ? { ...page, script: `${page.script}\nsetInterval(hit, ${every});` } : page);
  },

  "/redir": (request, response) => {
    response.writeHead(302, { location: textOf(request, "to", "/a"), "cache-control": "no-store" });
    response.end();
  },

  /** What a site shows to a program instead of what it asked for: with `status`, and with `header` as `name:value`. */
  "/sorry": (request, response) => {
    const [name = "", value = ""] = textOf(request, "header", "").split(":");
    const headers = name === "" ? {} : { [name]: value };
    const status = numberOf(request, "status", 200);
    sendPage(request, response, { status, headers, body: "<p>Are you a person?</p>" });
  },

  /** With `mb` a file of that size; without, a page with a link to one. */
  "/dl": (request, response) => {
    if (!request.url.searchParams.has("mb"))
      return sendPage(request, response, { body: '<a href="/dl?mb=1">download</a>' });
    const bytes = Buffer.alloc(Math.ceil(numberOf(request, "mb", 1) * 1024 * 1024), 120);
    response.writeHead(200, {
      "content-type": "application/octet-stream",
      "content-disposition": 'attachment; filename="fixture.bin"',
      "content-length": String(bytes.length),
    });
    response.end(bytes);
  },

  /** Logs `user` in: a cookie, and a word in the local storage. */
  "/login": (request, response) => {
    const user = textOf(request, "user", "someone");
    sendPage(request, response, {
      headers: { "set-cookie": `user=${encodeURIComponent(user)}; Path=/; Max-Age=86400` },
      body: `<p>logged in as ${escapeHtml(user)}</p>`,
      script: `localStorage.setItem("user", ${inScript(user)});`,
    });
  },

  /** Who is logged in, by the cookie that came and by the local storage. */
  "/whoami": (request, response) => {
    const script = `document.getElementById("stored").textContent = "stored: " + (localStorage.getItem("user") ?? "nobody");`;
    const body = `<p id="cookie">cookie: ${escapeHtml(cookie(request, "user") ?? "nobody")}</p><p id="stored"></p>`;
    sendPage(request, response, { body, script });
  },

  /** Tells what the page was told of its visibility and its focus, and whether frames are drawn. */
  "/vis": (request, response) => sendPage(request, response, { body: '<pre id="log"></pre>', script: VISIBILITY }),
};

function counterPage(request: PageRequest, id: string): { body: string; script: string } {
  const script = `
async function hit() {
  const answer = await fetch("/hit?id=" + encodeURIComponent(${inScript(id)}), { method: "POST" });
  document.getElementById("count").textContent = "count: " + (await answer.text());
}
document.getElementById("hit").onclick = hit;`;
  return {
    body: `<button id="hit">hit</button><output id="count">count: ${request.counters.get(id)}</output>`,
    script,
  };
}

function cookie(request: PageRequest, name: string): string | undefined {
  const pairs = (request.incoming.headers.cookie ?? "").split("; ");
  const found = pairs.find((pair) => pair.startsWith(`${name}=`));
  return found === undefined ? undefined : decodeURIComponent(found.slice(name.length + 1));
}

const VISIBILITY = `
window.seen = { frames: 0, events: [] };
const note = (word) => {
  window.seen.events.push(word);
  document.getElementById("log").textContent = window.seen.events.join("\\n");
};
note("begins " + document.visibilityState + (document.hasFocus() ? " focused" : ""));
document.addEventListener("visibilitychange", () => note("visibility " + document.visibilityState));
window.addEventListener("focus", () => note("focus"));
window.addEventListener("blur", () => note("blur"));
const frame = () => { window.seen.frames += 1; requestAnimationFrame(frame); };
requestAnimationFrame(frame);`;
