import { type Failure, failure } from "@holdfast/protocol";

/** What each scheme is for an address that is asked for by name. A scheme that is not here is refused. */
const SCHEMES: Readonly<Record<string, boolean>> = {
  "http:": true,
  "https:": true,
  "about:": true,
  "data:": true,
  "blob:": true,
  "file:": false,
  "javascript:": false,
  "view-source:": false,
  "chrome:": false,
};

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$)/;
const WITH_SCHEME = /^[a-z][a-z0-9+.-]*:(?!\d)/i;

/**
 * The address as it is loaded. A bare host gets https, a loopback one http, as in an address bar; a bare word is no address.
 * @returns the URL, or `MCP_BAD_ARGUMENTS` or `MCP_URL_DENIED`
 */
export function addressOf(text: string): URL | Failure {
  const trimmed = text.trim();
  const full = WITH_SCHEME.test(trimmed) ? trimmed : `${LOOPBACK.test(trimmed) ? "http" : "https"}://${trimmed}`;
  if (!URL.canParse(full) || isBareWord(trimmed))
    return failure("MCP_BAD_ARGUMENTS", `${text} is no address.`, { url: text });
  const url = new URL(full);
  // Chromium takes any other `about:` for a page of its own settings.
  const blank = url.protocol !== "about:" || url.pathname === "blank";
  if (SCHEMES[url.protocol] === true && blank) return url;
  const rule = `scheme ${url.protocol}`;
  return failure("MCP_URL_DENIED", `Addresses with ${url.protocol} are not loaded.`, { url: text, rule });
}

/** An address bar would search for it. A host of that name can be had by giving its scheme, or its port. */
function isBareWord(text: string): boolean {
  const [host = ""] = text.split(/[/?#]/);
  return !WITH_SCHEME.test(text) && !LOOPBACK.test(text) && !/[.:]/.test(host);
}
