import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { catalogue, type Operation } from "@holdfast/protocol";
import { ROOT } from "../support/sources.js";
import { fieldsOf } from "./fields.js";
import { code, generated, page, table } from "./markdown.js";

const run = promisify(execFile);

/** The command line, in its own words: each help text is asked of the program. */
export async function cliPage(): Promise<string> {
  const operations = (catalogue as readonly Operation[]).map((op) => ({ op, words: wordsOf(op) }));
  await checkWords(operations.map(({ words }) => words));
  const helps: string[] = [];
  for (const name of await ownCommands(operations.map(({ words }) => words[0] ?? "")))
    helps.push(`### holdfast ${name}\n\n\`\`\`text\n${await helpOf([name])}\n\`\`\``);
  return page(
    generated("Command line", "the program's own help and the catalogue in `packages/protocol/src/catalogue.ts`"),
    "In a checkout the program is `node packages/cli/dist/main.js`; `npx holdfast` finds it too. Every command takes `--json`.",
    "Exit codes: 0 done, 1 failed, 2 bad usage, 3 refused (nothing was begun), 4 unknown (begun and not seen to end).",
    "## Commands",
    ...helps,
    "## Operations",
    "Every operation is a command of its family. It reaches the services over the bus, so it works without the gateway. An argument is a flag: " +
      "`timeoutMs` is `--timeout-ms`; a list or an object is given as JSON; a flag that is required says so in `--help`. What each argument means " +
      "is told in [operations](operations.md).",
    table(
      ["Command", "Flags of its own", "What it does"],
      operations.map(({ op, words }) => [code(`holdfast ${words.join(" ")}`), flagsOf(op), op.sentence]),
    ),
    `Beside those, where the operation takes them: ${OF_ALL.map((name) => code(flag(name))).join(", ")}. And for all: ${code("--state")}, ${code("--nats")}, ${code("--json")} ` +
      `(${code("--stack-state")} and so on where the operation has an argument of that name).`,
  );
}

/** Arguments that most operations take; named once instead of in every row. */
const OF_ALL: readonly string[] = [
  "workspaceId",
  "profileId",
  "tabId",
  "taskId",
  "operationId",
  "timeoutMs",
  "snapshot",
];

function flagsOf(op: Operation): string {
  const own = fieldsOf(op).filter(({ name, required }) => required || !OF_ALL.includes(name));
  return own.map(({ name, required }) => code(required ? flag(name) : `[${flag(name)}]`)).join(" ");
}

function flag(field: string): string {
  return `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function wordsOf(op: Operation): string[] {
  const [family = "", ...verb] = (op.tool?.name ?? op.name).split("_");
  return [family, verb.join("-"), ...(op.tool ? [op.tool.action] : [])];
}

/** The commands that are not operations: what the program lists, but for help and for families that do nothing by themselves. */
async function ownCommands(families: readonly string[]): Promise<string[]> {
  const [, listed = ""] = (await helpOf([])).split("\nCommands:\n");
  const names = [...listed.matchAll(/^ {2}([\w-]+)( \[options\])?/gm)];
  return names.flatMap(([, name = "", options]) =>
    name === "help" || (families.includes(name) && !options) ? [] : [name],
  );
}

/** Holds the words above to the program's: each must stand in the help of the command before it. */
async function checkWords(all: readonly (readonly string[])[]): Promise<void> {
  const groups = new Map<string, Set<string>>();
  for (const words of all) {
    for (let at = 1; at < words.length; at += 1) {
      const group = words.slice(0, at).join(" ");
      groups.set(group, (groups.get(group) ?? new Set()).add(words[at] ?? ""));
    }
  }
  for (const [group, names] of groups) {
    const help = await helpOf(group.split(" "));
    const missing = [...names].filter((name) => !new RegExp(`^  ${name}( |$)`, "m").test(help));
    if (missing.length > 0) throw new Error(`holdfast ${group} --help does not list ${missing.join(", ")}.`);
  }
}

async function helpOf(words: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [join(ROOT, "packages/cli/dist/main.js"), ...words, "--help"], {
    env: { ...process.env, NO_COLOR: "1" },
  });
  return stdout.trimEnd();
}
