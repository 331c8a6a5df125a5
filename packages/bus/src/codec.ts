import { HoldfastError } from "@holdfast/protocol";
import type { z } from "zod";
import { PAYLOAD_BYTES_MAX } from "./limits.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** @throws HoldfastError `MCP_BAD_ARGUMENTS` for what is too large for one message */
export function encode(value: unknown): Uint8Array {
  const bytes = encoder.encode(JSON.stringify(value));
  if (bytes.length <= PAYLOAD_BYTES_MAX) return bytes;
  throw new HoldfastError(
    "MCP_BAD_ARGUMENTS",
    `The message has ${bytes.length} bytes; ${PAYLOAD_BYTES_MAX} are allowed.`,
    {
      bytes: bytes.length,
      bytesMax: PAYLOAD_BYTES_MAX,
    },
  );
}

/** @throws HoldfastError `MCP_BAD_ARGUMENTS` for what is no JSON */
export function decodeJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(data));
  } catch (cause) {
    throw new HoldfastError("MCP_BAD_ARGUMENTS", "The message is not JSON.", {}, { cause });
  }
}

/** @throws HoldfastError `MCP_BAD_ARGUMENTS` for what is not of the shape */
export function decode<T>(shape: z.ZodType<T>, data: Uint8Array): T {
  const parsed = shape.safeParse(decodeJson(data));
  if (parsed.success) return parsed.data;
  throw new HoldfastError("MCP_BAD_ARGUMENTS", `The message has another shape: ${parsed.error.message}`);
}
