import { type Read, readSource, type Value } from "./source.js";

const CORE = "services/task-control/src/core";

/** What one input does in one phase. */
export interface Cell {
  /** A function's name, or what it refuses with. */
  readonly name: string;
  /** The file that has it, and what its comment says; empty for what the table itself defines. */
  readonly file: string;
  readonly told: string;
}

export interface Transitions {
  readonly phases: readonly string[];
  readonly inputs: readonly string[];
  readonly cell: (phase: string, input: string) => Cell;
}

/** The table of transitions, read off its source. */
export function readTransitions(): Transitions {
  const table = readSource(`${CORE}/transitions.ts`);
  const rows = new Map(
    constant(table.constants, "transitions").entries.map((row) => [row.name, cellsOf(row, table.constants)]),
  );
  const inputs = namesIn(readSource(`${CORE}/inputs.ts`).constants, "INPUTS");
  return {
    phases: namesIn(readSource(`${CORE}/state.ts`).constants, "PHASES"),
    inputs,
    cell: (phase, input) => {
      const text = rows.get(phase)?.get(input);
      if (text === undefined) throw new Error(`${table.path} has no cell for ${phase} and ${input}.`);
      return cellOf(text, table);
    },
  };
}

/** A row's cells by input, those of a spread object first taken over, then replaced. */
function cellsOf(row: Value, constants: ReadonlyMap<string, Value>): Map<string, string> {
  const cells = new Map<string, string>();
  for (const { name, text } of row.entries) {
    if (name === "...") for (const shared of constant(constants, text).entries) cells.set(shared.name, shared.text);
    else cells.set(name, text);
  }
  return cells;
}

function cellOf(text: string, table: Read): Cell {
  const made = table.constants.get(text)?.text ?? text;
  const refuses = /^admission\.refuse\("(\w+)"\)$/.exec(made)?.[1];
  if (refuses !== undefined) return { name: `refuse ${refuses}`, file: "admission.ts", told: "" };
  const [first = "", name = first] = text.split(".");
  const file = fileOf(first, table);
  return { name, file, told: readSource(`${CORE}/${file}`).comments.get(name) ?? "" };
}

/** Where a name of the table comes from: `import * as life from "./lifetimes.js"`, `import { ended } from "./ends.js"`, or the table's own file. */
function fileOf(name: string, table: Read): string {
  if (table.constants.has(name)) return "transitions.ts";
  const imported = new RegExp(
    `^import (?:\\* as ${name}|\\{[^}]*\\b${name}\\b[^}]*\\}) from "\\./([\\w-]+)\\.js"`,
    "m",
  ).exec(table.text)?.[1];
  if (imported !== undefined) return `${imported}.ts`;
  throw new Error(`${table.path} does not say where ${name} comes from.`);
}

function namesIn(constants: ReadonlyMap<string, Value>, name: string): string[] {
  return [...constant(constants, name).text.matchAll(/"(\w+)"/g)].map(([, each]) => each ?? "");
}

function constant(constants: ReadonlyMap<string, Value>, name: string): Value {
  const found = constants.get(name);
  if (found) return found;
  throw new Error(`There is no constant ${name} to read.`);
}
