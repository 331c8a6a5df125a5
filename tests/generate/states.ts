import {
  executionKind,
  executionState,
  newTabPolicy,
  operationOutcome,
  processState,
  tabState,
} from "@holdfast/protocol";
import { code, codes, generated, page, table } from "./markdown.js";
import { readSource } from "./source.js";
import { type Cell, readTransitions, type Transitions } from "./transitions.js";

const STATES = "packages/protocol/src/states.ts";
const CORE = "services/task-control/src/core";
const TAB_LIFE = "services/browser-worker/src/core/tab-life.ts";

const LISTS: readonly (readonly [title: string, constant: string, values: readonly string[]])[] = [
  ["What can hold a project", "executionKind", executionKind.options],
  ["States of an execution", "executionState", executionState.options],
  ["Outcomes of an operation", "operationOutcome", operationOutcome.options],
  ["What a new tab does to the cursor", "newTabPolicy", newTabPolicy.options],
  ["States of a process", "processState", processState.options],
];

/** Every state there is, and the two tables that say what leads from one to the next. */
export function statesPage(): string {
  const transitions = readTransitions();
  return page(
    generated("States", `\`${STATES}\`, \`${CORE}/transitions.ts\` and \`${TAB_LIFE}\``),
    "The same words everywhere: in code, on the wire, on the command line and here.",
    ...LISTS.map(([title, constant, values]) => list(title, constant, values)),
    tabs(),
    "## Phases of a project",
    `A project's phase is derived from its stored state (${code(`${CORE}/state.ts`)}); it is never stored beside it.`,
    described(`${CORE}/state.ts`, "Phase"),
    "## What every input does in every phase",
    `This is the whole of what Holdfast decides about a project: ${code(`${CORE}/transitions.ts`)}. A late or a repeated input is a cell like any other.`,
    grid(transitions),
    functions(transitions),
  );
}

function list(title: string, constant: string, values: readonly string[]): string {
  const told = readSource(STATES).comments.get(constant) ?? "";
  return `## ${title}\n\n${[codes(values), told].filter(Boolean).join(". ").replaceAll(/\s+/g, " ")}`;
}

function tabs(): string {
  const life = readSource(TAB_LIFE).constants.get("LIFE")?.entries ?? [];
  const events = life[0]?.entries.map(({ name }) => name) ?? [];
  const rows = life.map(({ name, entries }) => [
    code(name),
    ...entries.map(({ text }) => code(text.replaceAll('"', ""))),
  ]);
  if (rows.length !== tabState.options.length)
    throw new Error(`${TAB_LIFE} and ${STATES} know different states of a tab.`);
  return [
    "## States of a tab",
    described(TAB_LIFE, "LIFE"),
    "What each event makes of each state:",
    table(["", ...events.map(code)], rows),
  ].join("\n\n");
}

/** A comment of lines such as `idle    nothing holds the project.`, as a table. */
function described(path: string, name: string): string {
  const comment = readSource(path).comments.get(name) ?? "";
  const rows = comment.split("\n").flatMap((line) => {
    const [, word = "", told = ""] = /^(\w+)\s{2,}(.+)$/.exec(line) ?? [];
    return word ? [[code(word), told]] : [];
  });
  if (rows.length === 0) throw new Error(`${path} does not describe ${name}, a word and its meaning on a line each.`);
  return table(["", "Meaning"], rows);
}

function grid({ phases, inputs, cell }: Transitions): string {
  const rows = inputs.map((input) => [code(input), ...phases.map((phase) => shown(cell(phase, input)))]);
  return table(["", ...phases.map(code)], rows);
}

function shown({ name }: Cell): string {
  const [refuse, failure] = name.split(" ");
  return failure ? `${refuse} ${code(failure)}` : name;
}

function functions({ phases, inputs, cell }: Transitions): string {
  const cells = inputs.flatMap((input) => phases.map((phase) => cell(phase, input)));
  const named = new Map(cells.filter(({ name }) => !name.includes(" ")).map((each) => [each.name, each]));
  const rows = [...named.values()].map(({ name, file, told }) => [
    code(name),
    code(`${CORE}/${file}`),
    told.replaceAll(/\s+/g, " "),
  ]);
  return `Where each is, and what its comment says:\n\n${table(["Function", "File", "What it does"], rows)}`;
}
