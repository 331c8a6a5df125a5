import type { PageScripts } from "@holdfast/protocol";
import type { BrowserContext, Disposable, Frame, Page } from "playwright";
import { INJECT_MS, SUCCESSOR_MS } from "../limits.js";
import { within } from "../within.js";

/**
 * The one way into documents. `inject(place, { name, script })` has a script run exactly once in every document of a
 * context (or of one page, where the context is a person's): before the page's own scripts in documents to come, and right
 * after DOMContentLoaded in those that are there. It gives back how to take it away again for documents to come.
 *
 * A recorder uses it like this: `const undo = await inject(context, { name: "recorder", script })` for each context
 * of the project, next to its binding, and `await undo()` at the end. What it puts into a page tells by its binding that it
 * is there, so that a document which took nothing (a page in a script loop) is a gap that can be named.
 */
export interface Injected {
  /** The same name again does not run a second time in a document that had it. */
  readonly name: string;
  readonly script: string;
}

export type Undo = () => Promise<void>;
export type Place = BrowserContext | Page;

export async function inject(place: Place, injected: Injected): Promise<Undo> {
  const added: Disposable = await place.addInitScript({ content: onceIn(injected, false) });
  await runInOpen(place, onceIn(injected, true));
  return () => added.dispose();
}

/** Runs a script in all documents that are there. One that does not answer is left out after a while. */
export async function runInOpen(place: Place, script: string): Promise<void> {
  const pages = "pages" in place ? place.pages() : [place];
  await Promise.all(pages.flatMap((page) => page.frames()).map((frame) => within(INJECT_MS, evaluated(frame, script))));
}

async function evaluated(frame: Frame, script: string): Promise<void> {
  await frame.evaluate(script);
}

/**
 * In a document that is there the script waits for DOMContentLoaded; in one to come it is the first to run.
 *
 * A window begins with an empty document, and hands its global object on to the first real one if that is of the same
 * origin. Chromium takes that for the same global, and runs nothing at the start of the second document: so what has run
 * is kept by document, and the empty one looks out for its successor. There, and only there, it may come after the first
 * of the page's own scripts.
 */
function onceIn({ name, script }: Injected, waits: boolean): string {
  const key = JSON.stringify(`holdfast:${name}`);
  const run = `() => {
    const seen = window[Symbol.for(${key})] ??= new WeakSet();
    if (seen.has(document)) return;
    seen.add(document);
    (() => { ${script}\n })();
  }`;
  const later = `document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", run, { once: true }) : run()`;
  const successor = `if (location.href === "about:blank") {
    const first = document;
    const until = Date.now() + ${SUCCESSOR_MS};
    const look = () => { if (document !== first) run(); else if (Date.now() < until) setTimeout(look); };
    setTimeout(look);
  }`;
  return `{ const run = ${run}; ${waits ? later : `run(); ${successor}`} }`;
}

/** CSS as a script: a sheet of the document's own, which no policy of a page forbids; the same name again replaces it. */
function styleScript(name: string, css: string): string {
  return `{
    const sheets = document[Symbol.for("holdfast:styles")] ??= new Map();
    let sheet = sheets.get(${JSON.stringify(name)});
    if (!sheet) sheets.set(${JSON.stringify(name)}, sheet = new CSSStyleSheet());
    sheet.replaceSync(${JSON.stringify(css)});
    if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
  }`;
}

/** The scripts and styles that a project names, in each of its contexts, those to come too. */
export class Documents {
  readonly #places = new Map<Place, Undo[]>();
  #scripts: PageScripts = { scripts: [], styles: [] };

  /** A context, or a page of a person's context, is the project's from now on. */
  async add(place: Place): Promise<void> {
    if (this.#places.has(place)) return;
    this.#places.set(place, []);
    const gone = (): void => void this.#places.delete(place);
    if ("pages" in place) place.once("close", gone).on("page", (page) => this.#follow(place, page));
    else place.once("close", gone);
    for (const page of "pages" in place ? place.pages() : [place]) this.#follow(place, page);
    await this.#install(place);
  }

  /** A page goes back to whose it was: documents to come have nothing of ours. */
  async remove(place: Place): Promise<void> {
    const undo = this.#places.get(place) ?? [];
    this.#places.delete(place);
    await Promise.allSettled(undo.map((one) => one()));
  }

  /** Others from now on: in new documents at once, in those that are there as far as they have not run before. */
  async set(scripts: PageScripts): Promise<void> {
    const before = this.#scripts;
    this.#scripts = scripts;
    const gone = before.styles.filter(({ name }) => !scripts.styles.some((style) => style.name === name));
    for (const [place, undo] of this.#places) {
      await Promise.allSettled(undo.map((one) => one()));
      for (const { name } of gone) await runInOpen(place, styleScript(name, ""));
      await this.#install(place);
    }
  }

  /** A document that got nothing at its start, because its window handed on its global, gets it now. */
  #follow(place: Place, page: Page): void {
    page.on("framenavigated", (frame) => {
      const { scripts, styles } = this.#scripts;
      if (!this.#places.has(place) || scripts.length + styles.length === 0) return;
      const all = [
        ...scripts.map(({ name, script }) => onceIn({ name: `${name}:${hash(script)}`, script }, false)),
        ...styles.map(({ name, css }) => styleScript(name, css)),
      ];
      void within(INJECT_MS, evaluated(frame, all.join("\n")));
    });
  }

  async #install(place: Place): Promise<void> {
    const undo: Undo[] = [];
    for (const { name, script } of this.#scripts.scripts) {
      undo.push(await inject(place, { name: `${name}:${hash(script)}`, script }));
    }
    for (const { name, css } of this.#scripts.styles) {
      // A sheet that is there is only filled anew, so it may be said as often as one likes.
      const content = styleScript(name, css);
      const added: Disposable = await place.addInitScript({ content });
      await runInOpen(place, content);
      undo.push(() => added.dispose());
    }
    if (this.#places.has(place)) this.#places.set(place, undo);
  }
}

/** Tells one version of a script from another; no secret depends on it. */
function hash(text: string): string {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0;
  return (sum >>> 0).toString(36);
}
