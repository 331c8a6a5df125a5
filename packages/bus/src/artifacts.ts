import { type Artifact, HoldfastError } from "@holdfast/protocol";
import { nanos, type ObjectStore } from "nats";
import type { Bus } from "./connect.js";
import { created } from "./creating.js";
import { ARTIFACT_BYTES_MAX, ARTIFACT_TTL_MS } from "./limits.js";

/** Pictures and the like: gone after a day. */
export const ARTIFACTS = "HF_ARTIFACTS";
/** Saved browser state: kept until it is replaced. */
export const STATE = "HF_STATE";

/** Large things, outside of messages. */
export interface Artifacts {
  /** Written beside an older one of that name and then switched: a reader never sees half of it. */
  readonly put: (name: string, mimeType: string, data: Uint8Array) => Promise<Artifact>;
  /** @throws HoldfastError `MCP_BUS_DOWN` */
  readonly get: (name: string) => Promise<Uint8Array | null>;
  readonly remove: (name: string) => Promise<void>;
}

export async function openArtifacts(bus: Bus, bucket: typeof ARTIFACTS | typeof STATE): Promise<Artifacts> {
  const limits = bucket === ARTIFACTS ? { ttl: nanos(ARTIFACT_TTL_MS), max_bytes: ARTIFACT_BYTES_MAX } : {};
  const store: ObjectStore = await created(() => bus.js.views.os(bucket, limits));
  return {
    put: async (name, mimeType, data) => {
      await store.putBlob({ name }, data).catch(raise);
      return { bucket, name, bytes: data.length, mimeType };
    },
    get: (name) => store.getBlob(name).catch(raise),
    remove: async (name) => {
      if (await store.info(name).catch(raise)) await store.delete(name).catch(raise);
    },
  };
}

function raise(thrown: unknown): never {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  throw new HoldfastError("MCP_BUS_DOWN", `The object store did not answer: ${message}`, {}, { cause: thrown });
}
