import { HoldfastError } from "@holdfast/protocol";
import type { Parts } from "./parts.js";
import type { SavedProgram } from "./run-store.js";

/** @throws HoldfastError `MCP_PROGRAM_NOT_FOUND` */
export async function savedProgram(parts: Parts, workspaceId: string, programId: string): Promise<SavedProgram> {
  await parts.store.get(workspaceId);
  const entry = await parts.runs.programs.get(`${workspaceId}.${programId}`);
  if (entry) return entry.value;
  throw new HoldfastError("MCP_PROGRAM_NOT_FOUND", "", { workspaceId, programId });
}

export function mintId(head: string): string {
  return `${head}_${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
}
