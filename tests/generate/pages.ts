import { cliPage } from "./cli.js";
import { failuresPage } from "./failures.js";
import { operationsPage } from "./operations.js";
import { programSchema } from "./program-schema.js";
import { statesPage } from "./states.js";
import { toolsPage } from "./tools.js";

/** Every generated page by its path from the root, as it should be. */
export async function pages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["docs/operations.md", operationsPage()],
    ["docs/tools.md", toolsPage()],
    ["docs/failures.md", failuresPage()],
    ["docs/states.md", statesPage()],
    ["docs/cli.md", await cliPage()],
    ["docs/program.schema.json", programSchema()],
  ]);
}
