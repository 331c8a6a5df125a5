import { followFacts } from "@holdfast/bus";
import type { FactRecord } from "@holdfast/protocol";
import { type Command, InvalidArgumentError } from "commander";
import { EXIT } from "../exit-codes.js";
import { withBus } from "../run.js";
import { withStackFlags } from "../target.js";
import type { Ended } from "./ended.js";
import { wishOf } from "./short.js";

/** Adds `events`: follows the facts until it is interrupted. */
export function addEvents(program: Command, ended: Ended): void {
  withStackFlags(program.command("events"))
    .description("Follows what happens, from now on or from a sequence.")
    .option("--from <sequence>", "begin with this one; facts are kept and can be told again", sequence)
    .option("--project <workspaceId>", "only this project's")
    .action(async (options: { from?: number; project?: string }) => {
      const wish = wishOf(options as Record<string, unknown>);
      const follow = {
        ...(options.from !== undefined && { from: options.from }),
        ...(options.project !== undefined && { workspaceId: options.project }),
      };
      const code = await withBus(wish, async (bus) => {
        const print = (record: FactRecord) => console.log(wish.json ? JSON.stringify(record) : factLine(record));
        const following = await followFacts(bus, follow, print);
        await Promise.race([interrupted(), bus.closed]);
        await following.stop();
        return EXIT.done;
      });
      ended(code);
    });
}

/** `17 2026-01-01T00:00:00.000Z shop-a tab.opened {...}` */
export function factLine({ sequence: place, at, workspaceId, fact }: FactRecord): string {
  const { fact: name, ...rest } = fact;
  const said = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : "";
  return `${place} ${at} ${workspaceId} ${name}${said}`;
}

function sequence(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError("It must be a whole number from 1 on.");
  return value;
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
