import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, type Source } from "./sources.js";

/** One row of the map in ARCHITECTURE.md. */
export interface MapRow {
  readonly folder: string;
  /** The column "May import", absent in a row that says nothing of it. */
  readonly mayImport: readonly string[] | null;
}

/**
 * The map: the table in ARCHITECTURE.md whose first column is headed "Folder". Each first cell names a folder in
 * backticks; the cell under "May import" names, in backticks, what `boundaries.json` allows it.
 */
export function readMap(): readonly MapRow[] {
  const path = join(ROOT, "ARCHITECTURE.md");
  if (!existsSync(path))
    throw new Error(
      "There is no ARCHITECTURE.md: write it, with a table of the folders headed | Folder | What it is | May import |.",
    );
  return mapIn(readFileSync(path, "utf8"));
}

export function mapIn(text: string): readonly MapRow[] {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => /^\|\s*Folder\s*\|/.test(line));
  if (start === -1) throw new Error("ARCHITECTURE.md has no table headed | Folder | What it is | May import |.");
  const titles = cellsOf(lines[start] ?? "");
  const importsAt = titles.indexOf("May import");
  if (importsAt === -1) throw new Error('The map in ARCHITECTURE.md has no column "May import".');
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith("|"));
  return rows.slice(0, end === -1 ? undefined : end).map((line) => {
    const cells = cellsOf(line);
    const imports = cells[importsAt] ?? "";
    return {
      folder: quotedIn(cells[0] ?? "")[0] ?? cells[0] ?? "",
      mayImport: imports === "" ? null : quotedIn(imports),
    };
  });
}

/** Paths of this repository that a page names in backticks or links to, and that are not there. */
export function pathsMissing({ path, text }: Source): readonly string[] {
  const named = quotedIn(text).filter((each) => /^(packages|services|tests|docs|scripts)\/[\w./-]*$/.test(each));
  const missing = named.filter((each) => !existsSync(join(ROOT, each)));
  return [...new Set(missing)].map((each) => `${path} names ${each}, which is not there`);
}

function cellsOf(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function quotedIn(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, quoted]) => quoted ?? "");
}
