import Table from "cli-table3";
import pc from "picocolors";

/** A longer cell is cut, in characters: addresses would push everything else off the screen. */
const CELL_CHARS_MAX = 60;

type Row = Readonly<Record<string, unknown>>;

/**
 * A result that is in the main one list, as a table: `{ projects: [...] }`, `{ tabs: [...], target }`.
 * @returns null for any other result
 */
export function asTable(result: unknown): string | null {
  if (!isRow(result)) return null;
  const lists = Object.values(result).filter(Array.isArray);
  const rest = Object.entries(result).filter(([name, value]) => !Array.isArray(value) && name !== "target");
  const [list] = lists;
  if (lists.length !== 1 || rest.length > 0 || !Array.isArray(list) || !list.every(isRow)) return null;
  return list.length === 0 ? "none" : table(list);
}

/** Rows with the same fields, one column for each. */
export function table(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const drawn = new Table({ head: names.map((name) => pc.bold(name)), style: { head: [], border: [], compact: true } });
  for (const row of rows) drawn.push(names.map((name) => cell(row[name])));
  return drawn.toString();
}

function cell(value: unknown): string {
  const text = words(value);
  return text.length > CELL_CHARS_MAX ? `${text.slice(0, CELL_CHARS_MAX - 1)}…` : text;
}

function words(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(words).join(", ") || "-";
  if (isRow(value)) return isCursor(value) ? `${value.profileId}/${value.tabId}` : executionWords(value);
  return String(value).replaceAll(/\s+/g, " ");
}

function isCursor(value: Row): boolean {
  return typeof value.profileId === "string" && typeof value.tabId === "string";
}

function executionWords(value: Row): string {
  if (typeof value.kind === "string" && typeof value.id === "string") return `${value.kind} ${value.id} ${value.state}`;
  return JSON.stringify(value);
}

function isRow(value: unknown): value is Row {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
