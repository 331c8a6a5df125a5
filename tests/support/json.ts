import { readFileSync } from "node:fs";

/** A JSON file of this repository, taken at its word: its form is checked by what uses it. */
export function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, "utf8")) as T;
}
