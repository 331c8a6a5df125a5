import type { IncomingMessage, ServerResponse } from "node:http";

/** One request for a fixture page, read already. */
export interface PageRequest {
  readonly incoming: IncomingMessage;
  /** The address as the browser has it. */
  readonly url: URL;
  /** `MARK:<path>:<nonce>`, which no other load of any page carries. */
  readonly mark: string;
  readonly counters: Counters;
}

/** What pages count on the server, by id. */
export interface Counters {
  readonly add: (id: string) => number;
  readonly get: (id: string) => number;
}

export type PageHandler = (request: PageRequest, response: ServerResponse) => void | Promise<void>;
/** Pages by path. */
export type Pages = Readonly<Record<string, PageHandler>>;

export interface Page {
  readonly body?: string;
  /** Runs at the end of the body, so that it finds the body's elements. */
  readonly script?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
}

/** Sends a whole page. */
export function sendPage(request: PageRequest, response: ServerResponse, page: Page = {}): void {
  response.writeHead(page.status ?? 200, { ...HTML_HEADERS, ...page.headers });
  response.end(`${head(request)}\n${page.body ?? ""}\n${script(page.script)}</body></html>\n`);
}

/** Sends a page whose content is the same at every request. */
export function fixedPage(page: Page): PageHandler {
  return (request, response) => sendPage(request, response, page);
}

/** The beginning of every page: whose it is, in its title and in its text. */
export function head(request: PageRequest): string {
  const path = escapeHtml(request.url.pathname);
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${path}</title>`,
    // Without an icon of its own each page would ask the server for one, and blur its log.
    '<link rel="icon" href="data:,"></head><body>',
    `<p id="mark">${escapeHtml(request.mark)}</p><p id="url">${escapeHtml(request.url.href)}</p>`,
  ].join("\n");
}

// Nothing is cached, so that each load is seen by the server and has a mark of its own.
export const HTML_HEADERS = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" } as const;

/** A number out of the query, or the default when it is absent or none. */
export function numberOf(request: PageRequest, name: string, byDefault: number): number {
  const given = request.url.searchParams.get(name);
  const value = given === null ? Number.NaN : Number(given);
  return Number.isFinite(value) ? value : byDefault;
}

export function textOf(request: PageRequest, name: string, byDefault: string): string {
  return request.url.searchParams.get(name) ?? byDefault;
}

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** A value inside a script: a `<` could end the script element early. */
export function inScript(value: string | number | boolean): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

function script(source: string | undefined): string {
  return source === undefined ? "" : `<script>\n${source}\n</script>`;
}
