import { HoldfastError } from "@holdfast/protocol";
import { addressOf } from "../core/urls.js";
import type { Denial } from "./denials.js";
import type { Guard } from "./guard.js";

/** An address that is given by somebody, however it comes in. @throws HoldfastError `MCP_URL_DENIED` by its scheme, `MCP_BAD_ARGUMENTS` */
export function checked(asked: string): URL {
  const url = addressOf(asked);
  if (url instanceof URL) return url;
  throw new HoldfastError(url.code, url.message, { ...url.details });
}

/** An address that a page is to be at is held against the project's URL rules. @throws HoldfastError `MCP_URL_DENIED` */
export function checkRules(guard: Guard, { href: url }: URL): void {
  const rule = guard.active ? guard.ruleAgainst(url) : null;
  if (rule === null) return;
  guard.deny({ url, rule, kind: "document", tabId: null });
  throw denied({ url, rule });
}

export function denied({ url, rule }: Pick<Denial, "url" | "rule">): HoldfastError {
  return new HoldfastError("MCP_URL_DENIED", `${url} is not loaded: ${rule}.`, { url, rule });
}
