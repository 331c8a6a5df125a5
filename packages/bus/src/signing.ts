import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { HoldfastError, type StopOrder, stopOrder } from "@holdfast/protocol";
import { z } from "zod";

/**
 * A stop order as it travels: its exact text and an Ed25519 signature over it (RFC 8032).
 * Subject permissions alone do not protect a stop: a reply subject can make the server deliver any text there.
 */
const signedOrder = z.object({ text: z.string(), signature: z.string() });
export type SignedOrder = z.infer<typeof signedOrder>;

/** @param privateKey PKCS #8 DER in base64 */
export function signer(privateKey: string): (order: StopOrder) => SignedOrder {
  const key = createPrivateKey({ key: Buffer.from(privateKey, "base64"), format: "der", type: "pkcs8" });
  return (order) => {
    const text = JSON.stringify(order);
    return { text, signature: sign(null, Buffer.from(text), key).toString("base64") };
  };
}

/**
 * @param publicKey SPKI DER in base64
 * @returns a check that throws `MCP_UNAUTHORIZED` for what is not signed, late, or seen before
 */
export function verifier(publicKey: string, now: () => number): (body: unknown) => StopOrder {
  const key: KeyObject = createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" });
  // Nonces are kept only until their order expires, so the map is bounded by the rate of stops times that time.
  const seen = new Map<string, number>();
  return (body) => {
    const parsed = signedOrder.safeParse(body);
    if (!parsed.success) throw refused("it is not signed");
    const { text, signature } = parsed.data;
    if (!verify(null, Buffer.from(text), key, Buffer.from(signature, "base64")))
      throw refused("its signature is wrong");
    const order = stopOrder.parse(JSON.parse(text));
    for (const [nonce, expiresAt] of seen) if (expiresAt < now()) seen.delete(nonce);
    if (order.expiresAt < now()) throw refused("it is too old");
    if (seen.has(order.nonce)) throw refused("it was used before");
    seen.set(order.nonce, order.expiresAt);
    return order;
  };
}

function refused(why: string): HoldfastError {
  return new HoldfastError("MCP_UNAUTHORIZED", `The stop order is refused: ${why}.`, { why });
}

/** A new pair, in the forms that `signer` and `verifier` take. */
export function newKeys(): { privateKey: string; publicKey: string } {
  const pair = generateKeyPairSync("ed25519");
  return {
    privateKey: pair.privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"),
    publicKey: pair.publicKey.export({ format: "der", type: "spki" }).toString("base64"),
  };
}
