import type { Page } from "playwright";
import { showsValues, withoutSecrets } from "../core/secrets-in-tree.js";
import { SECRETS_MS } from "../limits.js";
import { within } from "../within.js";

/** A page tree as it may be told: what fields for passwords and the like hold is masked, whoever has typed it. */
export async function treeTold(page: Page, tree: string): Promise<string> {
  return showsValues(tree) ? withoutSecrets(tree, await secretsIn(page)) : tree;
}

/** The values that must not be told; null if a frame did not say. */
async function secretsIn(page: Page): Promise<string[] | null> {
  const found: string[] = [];
  const reading = Promise.all(
    page.frames().map(async (frame) => {
      found.push(...(await frame.evaluate(collect)));
      return true;
    }),
  );
  let read = false;
  await within(
    SECRETS_MS,
    reading.then(() => {
      read = true;
    }),
  );
  return read ? found : null;
}

/** Runs in the page; looks into open shadow roots too. */
function collect(): string[] {
  const secret = /^(cc-|one-time-code|current-password|new-password)/;
  const values: string[] = [];
  const look = (root: Document | ShadowRoot): void => {
    for (const input of root.querySelectorAll("input")) {
      if (input.value !== "" && (input.type === "password" || secret.test(input.autocomplete)))
        values.push(input.value);
    }
    for (const element of root.querySelectorAll("*")) if (element.shadowRoot) look(element.shadowRoot);
  };
  look(document);
  return values;
}
