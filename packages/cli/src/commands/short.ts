import { call } from "@holdfast/bus";
import { operationNamed } from "@holdfast/protocol";
import type { Command } from "commander";
import pc from "picocolors";
import { asTable, table } from "../derive/tables.js";
import { EXIT } from "../exit-codes.js";
import { runOperation, show, type Wish, withBus } from "../run.js";
import { stackChoice, wantsJson, withStackFlags } from "../target.js";
import type { Ended } from "./ended.js";

/** Adds the short forms of what is asked for most. */
export function addShortForms(program: Command, ended: Ended): void {
  addStatus(program, ended);
  withStackFlags(program.command("stop"))
    .description("Stops exactly one task; project, profile and task must all match.")
    .argument("<workspaceId>")
    .argument("<profileId>")
    .argument("<taskId>")
    .action(async (workspaceId: string, profileId: string, taskId: string, options: Record<string, unknown>) => {
      ended(await runOperation(operationNamed("task_stop"), { workspaceId, profileId, taskId }, wishOf(options)));
    });
  withStackFlags(program.command("quit"))
    .description("Ends the application: refused while any project is busy; else state is saved and everything closes.")
    .action(async (options: Record<string, unknown>) => {
      ended(await runOperation(operationNamed("system_quit"), {}, wishOf(options)));
    });
  addView(program, ended);
}

export function wishOf(options: Readonly<Record<string, unknown>>): Wish {
  return { choice: stackChoice(options), json: wantsJson(options) };
}

function addStatus(program: Command, ended: Ended): void {
  withStackFlags(program.command("status"))
    .description("Tells how the stack and its projects stand.")
    .action(async (options: Record<string, unknown>) => ended(await status(wishOf(options))));
}

function status(wish: Wish) {
  return withBus(wish, async (bus) => {
    const asked = ["system_status", "project_list"] as const;
    const [system, projects] = await Promise.all(
      asked.map((name) => call(bus, operationNamed(name), {}, { caller: "cli" })),
    );
    if (!system?.ok) return system ? show(system, wish, () => "") : EXIT.failed;
    if (!projects?.ok) return projects ? show(projects, wish, () => "") : EXIT.failed;
    if (wish.json) console.log(JSON.stringify({ system: system.result, projects: projects.result }));
    else console.log(statusText(system.result, projects.result));
    return EXIT.done;
  });
}

function statusText(system: unknown, projects: unknown): string {
  const whole = { state: "", workers: [], ...(system as object) };
  const workers = whole.workers.length > 0 ? table(whole.workers) : "none";
  return [
    `${pc.bold("holdfast")} ${whole.state}`,
    `${pc.bold("workers")}\n${workers}`,
    `${pc.bold("projects")}\n${asTable(projects) ?? JSON.stringify(projects)}`,
  ].join("\n\n");
}

/** `view` is a family too: its operations are beneath it, and it alone is the short form of `view select`. */
function addView(program: Command, ended: Ended): void {
  const view = program.command("view");
  withStackFlags(view)
    .description("Looks at a project: moves what a person sees, and no cursor.")
    .argument("[workspaceId]")
    .argument("[tabId]")
    .option("--interactive", "move the project's cursor too, if you look at the project already")
    .action(async (workspaceId: string | undefined, tabId: string | undefined, options: Record<string, unknown>) => {
      const wish = wishOf(options);
      if (workspaceId === undefined) return ended(await runOperation(operationNamed("view_status"), {}, wish));
      const interactive = options.interactive === true;
      const request = { workspaceId, interactive, ...(tabId !== undefined && { tabId }) };
      ended(await runOperation(operationNamed("view_select"), request, wish));
    });
}
