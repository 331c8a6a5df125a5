import { catalogue, type Operation } from "@holdfast/protocol";
import type { Command } from "commander";
import { type Flag, flagsOf, requestValue, wordsOf } from "../derive/flags.js";
import { runOperation } from "../run.js";
import { stackChoice, wantsJson, withStackFlags } from "../target.js";
import type { Ended } from "./ended.js";

const FAMILIES: Readonly<Record<string, string>> = {
  project: "Projects: open, list, look at, close, notes.",
  browser: "Pages and tabs.",
  task: "Pieces of work that hold a project.",
  view: "What people look at; cursors are something else.",
  system: "The whole stack.",
};

/** Adds a command for every operation of the catalogue. */
export function addOperations(program: Command, ended: Ended): void {
  for (const op of catalogue) addOperation(program, op, ended);
}

function addOperation(program: Command, op: Operation, ended: Ended): void {
  const [family, ...verb] = wordsOf(op);
  const words = verb.length > 0 ? verb : [family];
  let parent = child(program, family).description(FAMILIES[family] ?? `Operations of ${family}.`);
  for (const word of words.slice(0, -1)) parent = child(parent, word);
  const command = child(parent, words.at(-1) ?? family).description(op.sentence);
  const flags = flagsOf(op);
  for (const flag of flags) addFlag(command, flag);
  const taken = flags.map((flag) => flag.name);
  withStackFlags(command, taken).action(async () => {
    const options: Record<string, unknown> = command.opts();
    const wish = { choice: stackChoice(options, taken), json: wantsJson(options, taken) };
    ended(await runOperation(op, requestOf(flags, options), wish));
  });
}

function addFlag(command: Command, flag: Flag): void {
  const placeholder = flag.kind === "number" ? "<n>" : flag.kind === "json" ? "<json>" : "<value>";
  if (flag.kind !== "switch") {
    command.option(`--${flag.name} ${placeholder}`, flag.description);
    return;
  }
  command.option(`--${flag.name}`, flag.description);
  if (flag.negatable) command.option(`--no-${flag.name}`, `not that: --${flag.name} false`);
}

/** The request: what was given, and nothing else; defaults are the operation's own. */
function requestOf(flags: readonly Flag[], options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given = flags.filter((flag) => options[flag.field] !== undefined);
  return Object.fromEntries(given.map((flag) => [flag.field, requestValue(flag, options[flag.field])]));
}

function child(parent: Command, name: string): Command {
  return parent.commands.find((one) => one.name() === name) ?? parent.command(name);
}
