import { type Bus, openBucket } from "@holdfast/bus";
import { HoldfastError, MEMORY_BYTES_MAX } from "@holdfast/protocol";
import { z } from "zod";

type Notes = Record<string, unknown>;

/** A project's notes: they outlive any conversation. */
export interface Memory {
  readonly get: (workspaceId: string) => Promise<Notes>;
  /** With `undefined` the note goes. @throws HoldfastError `MCP_BAD_ARGUMENTS` over `MEMORY_BYTES_MAX` */
  readonly set: (workspaceId: string, key: string, value: unknown) => Promise<Notes>;
}

export async function openMemory(bus: Bus): Promise<Memory> {
  const bucket = await openBucket(bus, { name: "HF_MEMORY" }, z.record(z.string(), z.unknown()));
  return {
    get: async (workspaceId) => (await bucket.get(workspaceId))?.value ?? {},
    set: async (workspaceId, key, value) => {
      for (;;) {
        const before = await bucket.get(workspaceId);
        const notes = changed(before?.value ?? {}, key, value);
        const written = before
          ? await bucket.update(workspaceId, notes, before.revision)
          : await bucket.create(workspaceId, notes);
        // Losing means that another write won; this one is then made on top of it.
        if (written !== null) return notes;
      }
    },
  };
}

function changed(notes: Notes, key: string, value: unknown): Notes {
  const kept = Object.entries(notes).filter(([name]) => name !== key);
  const next = Object.fromEntries(value === undefined ? kept : [...kept, [key, value]]);
  const bytes = Buffer.byteLength(JSON.stringify(next));
  if (bytes <= MEMORY_BYTES_MAX) return next;
  throw new HoldfastError(
    "MCP_BAD_ARGUMENTS",
    `The project's memory would have ${bytes} bytes; ${MEMORY_BYTES_MAX} are allowed.`,
    {
      bytes,
      bytesMax: MEMORY_BYTES_MAX,
    },
  );
}
