import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";

/** Why a saved state cannot be had. `locked`: it is encrypted, and the key for it is not there. */
export class StateUnreadable extends Error {
  override readonly name = "StateUnreadable";
  readonly why: "locked" | "broken";

  constructor(why: "locked" | "broken", message: string, options?: ErrorOptions) {
    super(message, options);
    this.why = why;
  }
}

/** Encrypts saved states if there is a key; reads both kinds. */
export interface Cipher {
  readonly encrypts: boolean;
  readonly seal: (data: Uint8Array) => Promise<Uint8Array>;
  /** @throws StateUnreadable */
  readonly open: (data: Uint8Array) => Promise<Uint8Array>;
}

/** `HFS1`, a salt, a nonce, the tag, and the text. What does not begin so is not encrypted. */
const HEAD = Buffer.from("HFS1");
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
/** scrypt (RFC 7914) with N = 2^15, r = 8, p = 1: 32 MB and some 80 ms for each guess at the key, once for us. */
const COST = { N: 32_768, r: 8, p: 1, maxmem: 67_108_864 };
/** Derived keys that are kept: one salt for each run of a worker, and states of a few runs before. */
const KEYS_MAX = 64;

/**
 * AES-256-GCM. The key is derived from `HOLDFAST_STATE_KEY`, any text, with a salt that lies beside the data: so the same
 * text opens a state on another machine, and two installations never share a key.
 */
export function cipherWith(secret: string | undefined): Cipher {
  if (!secret) return { encrypts: false, seal: (data) => Promise.resolve(data), open: openPlain };
  const keys = new Map<string, Promise<Buffer>>();
  const salt = randomBytes(SALT_BYTES);
  const keyFor = (of: Buffer): Promise<Buffer> => {
    const name = of.toString("hex");
    const key = keys.get(name) ?? derive(secret, of);
    keys.set(name, key);
    const [oldest] = keys.keys();
    if (keys.size > KEYS_MAX && oldest !== undefined) keys.delete(oldest);
    return key;
  };
  return {
    encrypts: true,
    seal: async (data) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", await keyFor(salt), nonce).setAAD(HEAD);
      const text = Buffer.concat([cipher.update(data), cipher.final()]);
      return Buffer.concat([HEAD, salt, nonce, cipher.getAuthTag(), text]);
    },
    open: async (data) => {
      if (!isSealed(data)) return data;
      const bytes = Buffer.from(data);
      const part = (from: number, length: number): Buffer => bytes.subarray(from, from + length);
      const at = HEAD.length;
      const key = await keyFor(part(at, SALT_BYTES));
      const decipher = createDecipheriv("aes-256-gcm", key, part(at + SALT_BYTES, NONCE_BYTES)).setAAD(HEAD);
      decipher.setAuthTag(part(at + SALT_BYTES + NONCE_BYTES, TAG_BYTES));
      const text = bytes.subarray(at + SALT_BYTES + NONCE_BYTES + TAG_BYTES);
      try {
        return Buffer.concat([decipher.update(text), decipher.final()]);
      } catch (cause) {
        throw new StateUnreadable("locked", "It is encrypted with another HOLDFAST_STATE_KEY.", { cause });
      }
    },
  };
}

export function isSealed(data: Uint8Array): boolean {
  return HEAD.equals(Buffer.from(data.subarray(0, HEAD.length)));
}

function openPlain(data: Uint8Array): Promise<Uint8Array> {
  if (!isSealed(data)) return Promise.resolve(data);
  return Promise.reject(new StateUnreadable("locked", "It is encrypted, and HOLDFAST_STATE_KEY is not set."));
}

function derive(secret: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(secret.normalize("NFKC"), salt, KEY_BYTES, COST, (fault, key) => (fault ? reject(fault) : resolve(key)));
  });
}
