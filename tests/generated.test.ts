import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startTestStack } from "@holdfast/testkit";
import { expect, test } from "vitest";
import { pages } from "./generate/pages.js";
import { argumentNames, toolNames } from "./generate/tools.js";
import { ROOT } from "./support/sources.js";

test("The generated docs are what the catalogue says", async () => {
  const stale = [...(await pages())].filter(([path, text]) => readIfThere(path) !== text).map(([path]) => path);
  expect(stale, "run npm run generate").toEqual([]);
});

test("The tools that are written down are those that the gateway lists, with the same arguments", async () => {
  const stack = await startTestStack({ workers: 0 });
  try {
    const listed = await (await stack.modernClient()).listTools();
    const told = listed.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties ?? {}).sort()]);
    expect(told).toEqual(toolNames.map((name) => [name, argumentNames(name).sort()]));
  } finally {
    await stack.stop();
  }
});

function readIfThere(path: string): string | null {
  const file = join(ROOT, path);
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}
