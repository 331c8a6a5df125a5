import { builtinModules } from "node:module";
import { join, posix } from "node:path";
import { readJson } from "./json.js";
import type { FileMeasure, ImportSeen } from "./measure.js";
import { ROOT, type Workspace } from "./sources.js";

interface Rule {
  readonly may: readonly string[];
  readonly why: string;
}

/** The form of `boundaries.json`. */
export interface Boundaries {
  readonly workspaces: Readonly<Record<string, Rule>>;
  readonly core: Rule;
  readonly noNode: { readonly folders: readonly string[]; readonly why: string };
  readonly only: readonly { readonly module: string; readonly in: readonly string[]; readonly why: string }[];
  readonly polls: readonly { readonly file: string; readonly why: string }[];
}

export function readBoundaries(): Boundaries {
  return readJson<Boundaries>(join(ROOT, "boundaries.json"));
}

const NODE = new Set(builtinModules);

/** Every import of a file that the table does not allow, each as one sentence that says why not. */
export function crossings(file: FileMeasure, workspace: Workspace, table: Boundaries): string[] {
  return file.imports.flatMap((seen) => crossing({ file, workspace, table, seen }) ?? []);
}

interface Looked {
  readonly file: FileMeasure;
  readonly workspace: Workspace;
  readonly table: Boundaries;
  readonly seen: ImportSeen;
}

function crossing(looked: Looked): string | undefined {
  const { seen } = looked;
  if (seen.module.startsWith(".")) return relativeCrossing(looked);
  if (isNode(seen.module)) return nodeCrossing(looked);
  const onlyIn = onlyCrossing(looked);
  if (onlyIn !== undefined) return onlyIn;
  return packageOf(seen.module).startsWith("@holdfast/") ? holdfastCrossing(looked) : outsideCrossing(looked);
}

function relativeCrossing({ file, workspace, table, seen }: Looked): string | undefined {
  const reached = posix.join(posix.dirname(file.path), seen.module);
  if (!isIn(reached, workspace.folder)) {
    return `${seen.at} reaches ${reached}, in another workspace: import it by its package's name, for what a package exports is all that others may know of it.`;
  }
  if (!file.isTest && isIn(reached, `${workspace.folder}/test`))
    return `${seen.at} imports a test: what is shipped must not need what is not.`;
  const core = coreOf(file.path);
  if (core !== undefined && !isIn(reached, core))
    return `${seen.at} leaves core for ${reached}, but ${table.core.why}.`;
  return undefined;
}

function nodeCrossing({ file, table, seen }: Looked): string | undefined {
  if (!seen.module.startsWith("node:"))
    return `${seen.at} imports ${seen.module}: write node:${seen.module}, so that no package can take its place.`;
  const pure = table.noNode.folders.some((folder) => isIn(file.path, folder));
  return pure ? `${seen.at} imports ${seen.module}, but ${table.noNode.why}.` : undefined;
}

function onlyCrossing({ file, table, seen }: Looked): string | undefined {
  const rule = table.only.find(({ module }) => module === packageOf(seen.module));
  if (!rule || rule.in.some((folder) => isIn(file.path, folder))) return undefined;
  return `${seen.at} imports ${rule.module}, which is for ${rule.in.join(" and ")} alone: ${rule.why}.`;
}

function holdfastCrossing({ file, workspace, table, seen }: Looked): string | undefined {
  const name = packageOf(seen.module);
  if (/\/(src|dist|test)(\/|$)/.test(seen.module))
    return `${seen.at} reaches into ${seen.module}: import what ${name} exports.`;
  if (coreOf(file.path) !== undefined && !table.core.may.includes(name))
    return `${seen.at} imports ${name}, but ${table.core.why}.`;
  const rule = table.workspaces[workspace.folder];
  if (rule === undefined)
    return `${workspace.folder} is not in boundaries.json: say there what it may import, and why.`;
  // A test may use the testkit, and the package that it tests by its name.
  const inTest =
    file.path.startsWith(`${workspace.folder}/test/`) && [workspace.name, "@holdfast/testkit"].includes(name);
  return rule.may.includes(name) || inTest ? undefined : `${seen.at} imports ${name}, but ${rule.why}.`;
}

function outsideCrossing({ file, workspace, table, seen }: Looked): string | undefined {
  const name = packageOf(seen.module);
  if (coreOf(file.path) !== undefined) return `${seen.at} imports ${name}, but ${table.core.why}.`;
  const rule = table.workspaces[workspace.folder];
  const ruledPure =
    rule !== undefined && rule.may.length > 0 && rule.may.every((each) => !each.startsWith("@holdfast/"));
  if (ruledPure && !file.isTest && !rule.may.includes(name)) return `${seen.at} imports ${name}, but ${rule.why}.`;
  if (workspace.dependencies.includes(name) || (file.isTest && DEV.has(name))) return undefined;
  return `${seen.at} imports ${name}, which ${workspace.folder}/package.json does not name: it works by chance until another package stops bringing it.`;
}

/** What the root gives to every test. */
const DEV = new Set(["vitest", "fast-check"]);

function isNode(module: string): boolean {
  return module.startsWith("node:") || NODE.has(module);
}

/** `@a/b/c` is of `@a/b`, `a/b` of `a`. */
function packageOf(module: string): string {
  return module
    .split("/")
    .slice(0, module.startsWith("@") ? 2 : 1)
    .join("/");
}

function coreOf(path: string): string | undefined {
  return /^services\/[^/]+\/src\/core(?=\/)/.exec(path)?.[0];
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
