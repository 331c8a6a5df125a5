import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { secretsIn } from "../../src/stack/secrets.js";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-secrets-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test("a restart knows the same secrets, and nobody else can read them", () => {
  expect(secretsIn(dir)).toEqual(secretsIn(dir));
  expect(statSync(join(dir, "secrets.json")).mode & 0o777).toBe(0o600);
});

test("what the private key signs the public key verifies", () => {
  const { stopPrivateKey, stopPublicKey } = secretsIn(dir);
  const signer = createPrivateKey({ key: Buffer.from(stopPrivateKey, "base64"), format: "der", type: "pkcs8" });
  const checker = createPublicKey({ key: Buffer.from(stopPublicKey, "base64"), format: "der", type: "spki" });
  const message = Buffer.from("stop");
  expect(verify(null, message, checker, sign(null, message, signer))).toBe(true);
});

test("secrets that cannot be understood are never replaced in silence", () => {
  writeFileSync(join(dir, "secrets.json"), "{");
  expect(() => secretsIn(dir)).toThrow("cannot be understood");
});
