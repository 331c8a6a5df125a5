import { program } from "@holdfast/protocol";

/** The form of a program, for whoever writes one by hand: JSON Schema, draft 2020-12. */
export function programSchema(): string {
  return `${JSON.stringify(program.toJSONSchema({ io: "input", reused: "ref" }), null, 2)}\n`;
}
