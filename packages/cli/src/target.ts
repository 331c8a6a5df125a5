import type { Command } from "commander";
import { readEndpoint } from "./stack/endpoint.js";
import { isAlive } from "./stack/processes.js";

/** Where a stack keeps its things unless it is told otherwise. */
export const DEFAULT_STATE_DIR = ".holdfast";

/** Which stack a command is about, as its flags and the environment say. */
export interface StackChoice {
  readonly stateDir: string;
  readonly natsUrl?: string;
}

/** Adds the flags that say which stack is meant. Where an operation has a field of that name ours is `--stack-NAME`. */
export function withStackFlags(command: Command, taken: readonly string[] = []): Command {
  const named = (name: string) => (taken.includes(name) ? `stack-${name}` : name);
  return command
    .option(`--${named("state")} <dir>`, "the stack's state folder (default HOLDFAST_STATE, else .holdfast)")
    .option(`--${named("nats")} <url>`, "reach the services over this server instead")
    .option(`--${named("json")}`, "print the whole answer as JSON");
}

export function stackChoice(options: Readonly<Record<string, unknown>>, taken: readonly string[] = []): StackChoice {
  const read = (name: string) => textIn(options, taken.includes(name) ? `stack${capital(name)}` : name);
  const natsUrl = read("nats");
  return { stateDir: stateDirOf(read("state")), ...(natsUrl !== undefined && { natsUrl }) };
}

export function wantsJson(options: Readonly<Record<string, unknown>>, taken: readonly string[] = []): boolean {
  return options[taken.includes("json") ? "stackJson" : "json"] === true;
}

export function stateDirOf(given: string | undefined): string {
  return given ?? process.env.HOLDFAST_STATE ?? DEFAULT_STATE_DIR;
}

/** Where the services are reached, or the sentence that says why they are not. */
export function natsUrlOf(choice: StackChoice): { readonly url: string } | { readonly problem: string } {
  if (choice.natsUrl !== undefined) return { url: choice.natsUrl };
  const endpoint = readEndpoint(choice.stateDir);
  const start = "Start one with `holdfast up`, or name one with --state or --nats.";
  if (endpoint === null) return { problem: `No stack runs with ${choice.stateDir}. ${start}` };
  if (!isAlive(endpoint.pid)) return { problem: `The stack of ${choice.stateDir} has died. ${start}` };
  return { url: endpoint.natsUrl };
}

function textIn(options: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
