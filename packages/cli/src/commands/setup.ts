import type { Command } from "commander";
import { EXIT } from "../exit-codes.js";
import { setUp } from "../setup.js";
import type { Ended } from "./ended.js";

/** Adds `setup`: installs the NATS server and the browser where they are missing. */
export function addSetup(program: Command, ended: Ended): void {
  program
    .command("setup")
    .description("Installs the NATS server and the browser if they are missing, and tells which ones are taken.")
    .action(async () => {
      const found = await setUp((line) => console.log(line));
      ended(found["nats-server"] === null || found.chromium === null ? EXIT.failed : EXIT.done);
    });
}
