import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { type Call, operationNamed } from "@holdfast/protocol";
import { z } from "zod";

/**
 * Hides what operations declare as secrets while a call lies in a queue: a queue is on a disk, and what was taken off it is
 * there for a while. Whoever runs the call has the same key; without one nothing is hidden.
 */
export interface Sealing {
  readonly seal: (operation: string, request: Call["request"]) => Call["request"];
  /** What cannot be opened stays as it is, and is refused as an argument of another form. */
  readonly open: (request: Call["request"]) => Call["request"];
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const sealed = z.strictObject({ $sealed: z.string() });

/** @param secret any text that those who queue and those who run have in common */
export function sealingWith(secret: string | undefined): Sealing {
  if (!secret) return { seal: (_operation, request) => request, open: (request) => request };
  const key = createHash("sha256").update(`holdfast queue ${secret}`).digest();
  return {
    seal: (operation, request) => {
      const secrets = operationNamed(operation).secrets ?? [];
      const hidden = secrets.filter((name) => request[name] !== undefined);
      if (hidden.length === 0) return request;
      return { ...request, ...Object.fromEntries(hidden.map((name) => [name, { $sealed: lock(key, request[name]) }])) };
    },
    open: (request) => Object.fromEntries(Object.entries(request).map(([name, value]) => [name, unlocked(key, value)])),
  };
}

function lock(key: Buffer, value: unknown): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const text = Buffer.concat([cipher.update(JSON.stringify(value), "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64");
}

function unlocked(key: Buffer, value: unknown): unknown {
  const parsed = sealed.safeParse(value);
  if (!parsed.success) return value;
  const bytes = Buffer.from(parsed.data.$sealed, "base64");
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    return JSON.parse(text.toString("utf8"));
  } catch {
    // It was sealed with another key: the operation's own check refuses it, and the record says so.
    return value;
  }
}
