import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * A file in the nearest `node_modules` that has it, or null.
 * Looked for on disk instead of resolved: what is wanted are programs of a package, which its exports do not name.
 * @param inside such as `.bin/playwright`
 */
export function inNodeModules(inside: string): string | null {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const candidate = join(folder, "node_modules", inside);
    if (existsSync(candidate)) return candidate;
    const parent = dirname(folder);
    if (parent === folder) return null;
    folder = parent;
  }
}
