import { describe, expect, test } from "vitest";
import { cipherWith, isSealed, StateUnreadable } from "../src/state/state-cipher.js";

const text = new TextEncoder().encode("cookies and drafts");

async function whyOf(opening: Promise<unknown>): Promise<string> {
  const thrown: unknown = await opening.then(
    () => null,
    (fault: unknown) => fault,
  );
  return thrown instanceof StateUnreadable ? thrown.why : `not unreadable: ${String(thrown)}`;
}

describe("a saved state", () => {
  test("is sealed with a key, differently each time, and opened with the same key by another process", async () => {
    const cipher = cipherWith("a key");
    const [one, two] = [await cipher.seal(text), await cipher.seal(text)];
    expect([isSealed(one), Buffer.from(one).equals(Buffer.from(two))]).toEqual([true, false]);
    expect(Buffer.from(one).includes("cookies")).toBe(false);
    const opened = await cipherWith("a key").open(one);
    expect(new TextDecoder().decode(opened)).toBe("cookies and drafts");
  });

  test("is locked to another key, to none, and to one who changed it", async () => {
    const sealed = await cipherWith("a key").seal(text);
    expect(await whyOf(cipherWith("b key").open(sealed))).toBe("locked");
    expect(await whyOf(cipherWith(undefined).open(sealed))).toBe("locked");
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1);
    expect(await whyOf(cipherWith("a key").open(changed))).toBe("locked");
  });

  test("is as it was without a key, and is read by one who has one", async () => {
    const plain = await cipherWith(undefined).seal(text);
    expect(isSealed(plain)).toBe(false);
    expect(await cipherWith("a key").open(plain)).toEqual(plain);
  });
});
