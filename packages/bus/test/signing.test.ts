import type { StopOrder } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { newKeys, signer, verifier } from "../src/signing.js";

const NOW = 1_000;
const keys = newKeys();
const sign = signer(keys.privateKey);
const order: StopOrder = { kind: "stop", workspaceId: "p", subjectId: "T", nonce: "n1", expiresAt: NOW + 10 };
const check = (now = NOW) => verifier(keys.publicKey, () => now);
const refused = (why: string) =>
  expect.objectContaining({ failure: expect.objectContaining({ code: "MCP_UNAUTHORIZED", details: { why } }) });

describe("a stop order", () => {
  test("that task-control signed is taken, whole", () => {
    expect(check()(JSON.parse(JSON.stringify(sign(order))))).toEqual(order);
  });

  test.each([[null], [{}], ["stop"], [order], [{ text: JSON.stringify(order), signature: 7 }]])(
    "that is not signed is refused: %j",
    (body) => {
      expect(() => check()(body)).toThrow(refused("it is not signed"));
    },
  );

  test("that somebody else signed is refused", () => {
    const forged = signer(newKeys().privateKey)(order);
    expect(() => check()(forged)).toThrow(refused("its signature is wrong"));
  });

  test("that was changed on its way is refused, in whatever it was changed", () => {
    const signed = sign(order);
    const other = { ...signed, text: signed.text.replace('"T"', '"U"') };
    expect(() => check()(other)).toThrow(refused("its signature is wrong"));
    expect(() => check()({ ...signed, signature: `A${signed.signature.slice(1)}` })).toThrow(/refused/);
    expect(() => check()({ ...signed, signature: "" })).toThrow(refused("its signature is wrong"));
  });

  test("that comes late is refused", () => {
    expect(check(order.expiresAt)(sign(order))).toEqual(order);
    expect(() => check(order.expiresAt + 1)(sign(order))).toThrow(refused("it is too old"));
  });

  test("that was seen before is refused: a copy is worth nothing, not even a copy of another text with its nonce", () => {
    const verify = check();
    verify(sign(order));
    expect(() => verify(sign(order))).toThrow(refused("it was used before"));
    expect(() => verify(sign({ ...order, subjectId: "U" }))).toThrow(refused("it was used before"));
    expect(verify(sign({ ...order, nonce: "n2" })).nonce).toBe("n2");
  });

  test("is remembered no longer than it would be taken", () => {
    let now = NOW;
    const verify = verifier(keys.publicKey, () => now);
    verify(sign(order));
    now = order.expiresAt + 1;
    expect(() => verify(sign(order))).toThrow(refused("it is too old"));
    expect(verify(sign({ ...order, expiresAt: now + 10 })).nonce).toBe("n1");
  });
});
