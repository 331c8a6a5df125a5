import { readFileSync, writeFileSync } from "node:fs";
import { ARTIFACTS, type Artifacts, type Bus, call, openArtifacts } from "@holdfast/bus";
import { type Answer, type Artifact, asFailure, HoldfastError, noIdentity, operationNamed } from "@holdfast/protocol";
import type { Command } from "commander";
import type { ExitCode } from "../exit-codes.js";
import { show, type Wish, withBus } from "../run.js";
import { withStackFlags } from "../target.js";
import type { Ended } from "./ended.js";
import { wishOf } from "./short.js";

const CALLER = { caller: "cli" };

/** Adds `export` and `import`: a project as a file. */
export function addTransfer(program: Command, ended: Ended): void {
  withStackFlags(program.command("export"))
    .description("Writes a project to a file: its logins, tabs, drafts and memory. Whoever has the file is logged in.")
    .argument("<workspaceId>")
    .argument("<file>")
    .action(async (workspaceId: string, file: string, options: Record<string, unknown>) => {
      ended(await moved(wishOf(options), (bus, wish) => exported(bus, wish, { workspaceId, file })));
    });
  withStackFlags(program.command("import"))
    .description("Makes a project out of a file that export has written, under a name that no project has.")
    .argument("<file>")
    .argument("<workspaceId>")
    .action(async (file: string, workspaceId: string, options: Record<string, unknown>) => {
      ended(await moved(wishOf(options), (bus, wish) => imported(bus, wish, { workspaceId, file })));
    });
}

type Move = (bus: Bus, wish: Wish) => Promise<ExitCode>;

/** A file that is not there, and a bus that does not answer, are told like any failure. */
function moved(wish: Wish, move: Move): Promise<ExitCode> {
  return withBus(wish, (bus) =>
    move(bus, wish).catch((thrown: unknown) => {
      const failed: Answer = { ok: false, failure: asFailure(thrown), identity: noIdentity("") };
      return show(failed, wish, () => "");
    }),
  );
}

interface Named {
  readonly workspaceId: string;
  readonly file: string;
}

async function exported(bus: Bus, wish: Wish, { workspaceId, file }: Named): Promise<ExitCode> {
  const answer = await call(bus, operationNamed("project_export"), { workspaceId }, CALLER);
  if (!answer.ok) return show(answer, wish, () => "");
  const { artifact, encrypted, tabs } = answer.result as { artifact: Artifact; encrypted: boolean; tabs: number };
  const store = await openArtifacts(bus, ARTIFACTS);
  const data = await store.get(artifact.name);
  if (!data) throw new HoldfastError("MCP_INTERNAL", `The artifact ${artifact.name} is not there.`);
  // It logs in whoever has it, so it is nobody else's.
  writeFileSync(file, data, { mode: 0o600 });
  await store.remove(artifact.name);
  const key = encrypted
    ? "encrypted: the same HOLDFAST_STATE_KEY is needed"
    : "not encrypted: it logs in whoever has it";
  return show(answer, wish, () => `${file}: ${workspaceId}, ${tabs} tabs, ${data.length} bytes, ${key}`);
}

async function imported(bus: Bus, wish: Wish, { workspaceId, file }: Named): Promise<ExitCode> {
  const data = read(file);
  const store: Artifacts = await openArtifacts(bus, ARTIFACTS);
  const artifact = `${workspaceId}/import-${crypto.randomUUID()}`;
  await store.put(artifact, "application/json", data);
  try {
    const answer = await call(bus, operationNamed("project_import"), { workspaceId, artifact }, CALLER);
    return show(answer, wish, () => `${workspaceId} is there; its tabs wake on use.`);
  } finally {
    await store.remove(artifact);
  }
}

function read(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new HoldfastError("MCP_BAD_ARGUMENTS", `${file} cannot be read.`, { file }, { cause });
  }
}
