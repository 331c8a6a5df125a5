#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { addDoctor } from "./commands/doctor.js";
import { addEvents } from "./commands/events.js";
import { addKeys } from "./commands/keys.js";
import { addMcp } from "./commands/mcp.js";
import { addOperations } from "./commands/operations.js";
import { addSetup } from "./commands/setup.js";
import { addShortForms } from "./commands/short.js";
import { addTransfer } from "./commands/transfer.js";
import { addUp } from "./commands/up.js";
import { EXIT, type ExitCode } from "./exit-codes.js";

// The reader of a pipe may leave early, as `head` does; that is no fault.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

await main();

async function main(): Promise<void> {
  let code: ExitCode = EXIT.done;
  const program = build((ended) => {
    code = ended;
  });
  try {
    await program.parseAsync();
  } catch (thrown) {
    code = codeOf(thrown);
  }
  // Not process.exit: what was printed into a pipe must get through first.
  process.exitCode = code;
}

function build(ended: (code: ExitCode) => void): Command {
  const program = new Command("holdfast")
    .description("Browser work for AI agents: many projects at once, each on its own cursor.")
    .version(version())
    .exitOverride()
    .showHelpAfterError("(add --help for what it takes)");
  addUp(program, ended);
  addShortForms(program, ended);
  addEvents(program, ended);
  addDoctor(program, ended);
  addSetup(program, ended);
  addKeys(program, ended);
  addMcp(program, ended);
  addTransfer(program, ended);
  addOperations(program, ended);
  return program;
}

function codeOf(thrown: unknown): ExitCode {
  // Commander has printed what is wrong already; help and version are no faults.
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.done : EXIT.usage;
  console.error(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
  return EXIT.failed;
}

function version(): string {
  const stated: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const has = stated !== null && typeof stated === "object" && "version" in stated;
  return has ? String(stated.version) : "unknown";
}
