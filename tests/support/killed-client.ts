import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { descendants, type ProcessSeen, type TestStack } from "@holdfast/testkit";
import { ROOT } from "./sources.js";

/** How the client speaks: the older protocol or the current one over HTTP, or through `holdfast mcp`. */
export type Line = "old" | "modern" | "stdio";
export const LINES: readonly Line[] = ["old", "modern", "stdio"];

export interface KilledClient {
  /** Ends it as a crash does. Gives what it had begun itself, which has to go by itself. */
  readonly kill: () => Promise<readonly ProcessSeen[]>;
}

/** A client in a process of its own that makes one call. */
export function callingProcess(
  { endpoint, stateDir }: TestStack,
  line: Line,
  call: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> },
): KilledClient {
  const cli = join(ROOT, "packages/cli/dist/main.js");
  const told = { url: endpoint.mcpUrl, token: endpoint.token, stateDir, cli, ...call };
  const program = join(ROOT, "tests/support/killed-client.mjs");
  const child = spawn(process.execPath, [program, line, JSON.stringify(told)], { stdio: "ignore" });
  const exited = once(child, "exit");
  return {
    kill: async () => {
      const began = descendants(pidOf(child));
      child.kill("SIGKILL");
      await exited;
      return began;
    },
  };
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error("The client did not start.");
  return child.pid;
}
