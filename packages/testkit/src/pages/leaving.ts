import { escapeHtml, inScript, type Pages, sendPage, textOf } from "./page.js";

/** Pages that send whoever loads them elsewhere by themselves. */
export const leavingPages: Pages = {
  "/refresh": (request, response) => {
    const to = escapeHtml(textOf(request, "to", "/a"));
    sendPage(request, response, { body: `<meta http-equiv="refresh" content="0; url=${to}"><p>refreshes</p>` });
  },

  "/leaves": (request, response) => {
    sendPage(request, response, {
      body: "<p>leaves</p>",
      script: `location = ${inScript(textOf(request, "to", "/a"))};`,
    });
  },
};
