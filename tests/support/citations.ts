import { parseSync, Visitor } from "oxc-parser";
import type { Source } from "./sources.js";

export interface Citation {
  readonly id: string;
  readonly file: string;
}

/** The promises that a test file says it proves: its `verifies("...")`, read as code, so that a comment proves nothing. */
export function citationsIn({ path, text }: Source): Citation[] {
  const found: Citation[] = [];
  new Visitor({
    CallExpression: ({ callee, arguments: [first] }) => {
      if (callee.type !== "Identifier" || callee.name !== "verifies") return;
      if (first?.type === "Literal" && typeof first.value === "string") found.push({ id: first.value, file: path });
    },
  }).visit(parseSync(path, text).program);
  return found;
}
