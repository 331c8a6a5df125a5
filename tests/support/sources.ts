import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { readJson } from "./json.js";

/** The repository. This file lies two folders below it, in `tests/support`, or three once it is built. */
export const ROOT = rootAbove(fileURLToPath(new URL(".", import.meta.url)));

export interface Source {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** Belongs to the tests: budgets hold there too, some rules do not. */
  readonly isTest: boolean;
}

export interface Workspace {
  /** Its folder from the root: `packages/bus`. */
  readonly folder: string;
  /** Its name: `@holdfast/bus`. */
  readonly name: string;
  readonly dependencies: readonly string[];
}

const CODE = /\.(ts|tsx|mts|mjs|js)$/;
const PROSE = /\.(md|json|ya?ml)$/;
/** Nothing a person wrote, or not ours. */
const SKIPPED = new Set(["node_modules", "dist", ".git", ".turbo", ".holdfast", "coverage", "package-lock.json"]);

let read: readonly Source[] | undefined;

/** Every file of code that a person wrote. */
export function codeFiles(): readonly Source[] {
  return allFiles().filter(({ path }) => CODE.test(path));
}

/** Pages, settings and lists: what is read by people and by tools. */
export function proseFiles(): readonly Source[] {
  return allFiles().filter(({ path }) => PROSE.test(path));
}

/** All workspaces, in the order of their folders. */
export function workspaces(): readonly Workspace[] {
  const folders = ["packages", "services"].flatMap((parent) => foldersIn(parent).map((name) => `${parent}/${name}`));
  return [...folders, "tests"].map(workspaceIn);
}

export function foldersIn(folder: string): readonly string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name));
  return folders.map((entry) => entry.name).sort();
}

function workspaceIn(folder: string): Workspace {
  const { name, dependencies = {} } = readJson<{ name: string; dependencies?: Record<string, string> }>(
    join(ROOT, folder, "package.json"),
  );
  return { folder, name, dependencies: Object.keys(dependencies) };
}

function allFiles(): readonly Source[] {
  read ??= walk(ROOT).map((full) => {
    const path = relative(ROOT, full).split(sep).join("/");
    return { path, text: readFileSync(full, "utf8"), isTest: isTestPath(path) };
  });
  return read;
}

/** The testkit is for tests alone, and never shipped. */
export function isTestPath(path: string): boolean {
  return /(^|\/)tests?\//.test(path) || path.startsWith("packages/testkit/");
}

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return [];
    const full = join(folder, entry.name);
    if (entry.isDirectory()) return walk(full);
    return entry.isFile() && (CODE.test(entry.name) || PROSE.test(entry.name)) ? [full] : [];
  });
}

function rootAbove(folder: string): string {
  const parent = join(folder, "..");
  if (parent === folder) throw new Error("These tests are not inside a checkout of Holdfast.");
  return readdirSync(folder).includes("turbo.json") ? folder.replace(/[\\/]$/, "") : rootAbove(parent);
}
