import { spawn } from "node:child_process";
import type { Command } from "commander";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { StackError } from "../stack/options.js";
import { entryOf } from "../stack/services.js";
import { natsUrlOf, type StackChoice, stackChoice } from "../target.js";
import type { Ended } from "./ended.js";

/** Adds `mcp`: an MCP server on stdin and stdout, for agents that start their servers themselves. */
export function addMcp(program: Command, ended: Ended): void {
  program
    .command("mcp")
    .description("Serves MCP on stdin and stdout, for the stack that runs.")
    .option("--project <workspaceId>", "the project of calls that name none")
    .option("--state <dir>", "the stack's state folder (default HOLDFAST_STATE, else .holdfast)")
    .option("--nats <url>", "reach the services over this server instead")
    .action(async (options: Record<string, unknown>) => {
      const project = typeof options.project === "string" ? ["--project", options.project] : [];
      ended(await serve(stackChoice(options), project));
    });
}

async function serve(choice: StackChoice, args: readonly string[]): Promise<ExitCode> {
  const reached = natsUrlOf(choice);
  if ("problem" in reached) {
    console.error(reached.problem);
    return EXIT.failed;
  }
  try {
    return await gateway(entryOf("mcp-gateway"), args, reached.url);
  } catch (thrown) {
    if (!(thrown instanceof StackError)) throw thrown;
    console.error(thrown.message);
    return EXIT.failed;
  }
}

function gateway(entry: string, args: readonly string[], url: string): Promise<ExitCode> {
  return new Promise((resolve) => {
    const env = { ...process.env, HOLDFAST_NATS_URL: url };
    const child = spawn(process.execPath, [entry, "--stdio", ...args], { stdio: "inherit", env });
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
    child.once("exit", (code) => resolve(code === 0 ? EXIT.done : EXIT.failed));
    child.once("error", () => resolve(EXIT.failed));
  });
}
