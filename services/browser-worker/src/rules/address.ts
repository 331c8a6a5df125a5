import { HoldfastError } from "@holdfast/protocol";
import { addressOf } from "../core/urls.js";
import type { Guard } from "./guard.js";

/** An address that is given by somebody, however it comes in. @throws HoldfastError `MCP_URL_DENIED` by its scheme, `MCP_BAD_ARGUMENTS` */
export function checked(asked: string): URL {
  const url = addressOf(asked);
  if (url instanceof URL) return url;
  throw new HoldfastError(url.code, url.message, { ...url.details });
}

/** The same, held against the project's URL rules too: of a page that is there already, no request is seen. */
export function checkedBy(guard: Guard, asked: string): URL {
  const url = checked(asked);
  const rule = guard.active ? guard.ruleAgainst(url.href) : null;
  if (rule === null) return url;
  throw new HoldfastError("MCP_URL_DENIED", `The rule ${rule} denies ${url.origin}.`, { url: url.href, rule });
}
