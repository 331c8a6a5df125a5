import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/sources.js";
import { pages } from "./pages.js";

/** `npm run generate`: writes the pages that are derived from the catalogue and the code. */
for (const [path, text] of await pages()) {
  const file = join(ROOT, path);
  const same = existsSync(file) && readFileSync(file, "utf8") === text;
  if (!same) writeFileSync(file, text);
  console.log(`${same ? "same   " : "written"} ${path}`);
}
