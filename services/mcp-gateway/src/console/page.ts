import { SCRIPT } from "./script.js";

/**
 * The console: a page for a person, served without data. The token stands in the address's fragment, which no browser
 * sends, so it reaches neither a server nor its logs.
 */
export const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Holdfast</title>
<style>
  :root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); }
  body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; }
  h1 { font-size: 1.2rem; } h2 { font-size: 1.05rem; margin: 0; }
  section { border: 1px solid var(--line); border-radius: 8px; margin: 1rem 0; padding: .8rem 1rem; }
  table { border-collapse: collapse; width: 100%; margin-top: .5rem; }
  td { border-top: 1px solid var(--line); padding: .3rem .5rem .3rem 0; vertical-align: top; overflow-wrap: anywhere; }
  .mark { white-space: nowrap; font-weight: 600; } .quiet { opacity: .7; } .row { display: flex; gap: .8rem; align-items: baseline; flex-wrap: wrap; }
  button { font: inherit; } #said { white-space: pre-wrap; }
</style>
<h1>Holdfast <span id="state" class="quiet"></span></h1>
<p class="quiet">The cursor is where a project's work goes on. The view is what you look at. Looking moves no cursor.</p>
<label class="quiet"><input type="checkbox" id="interactive"> take the cursor along when I look (only for a project that nobody holds)</label>
<p id="said" role="status"></p>
<main id="projects"></main>
<script>${SCRIPT}</script>
</html>
`;
