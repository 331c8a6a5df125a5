import { describe, expect, test } from "vitest";
import { sealingWith } from "../src/sealing.js";

const request = { target: "#x", text: "swordfish" };
const ours = sealingWith("a key");

describe("a call that lies in a queue", () => {
  test("hides what its operation declares as a secret, and comes out as it went in", () => {
    const queued = ours.seal("browser_type", request);
    expect(queued.target).toBe("#x");
    expect(JSON.stringify(queued)).not.toContain("swordfish");
    expect(ours.open(queued)).toEqual(request);
    expect(sealingWith("a key").open(ours.seal("browser_type", request))).toEqual(request);
  });

  test("is as it was where there is no secret, or no key", () => {
    expect(ours.seal("browser_click", request)).toBe(request);
    expect(sealingWith(undefined).seal("browser_type", request)).toBe(request);
  });

  test("is not opened with another key, nor when somebody changed it", () => {
    const queued = ours.seal("browser_type", request);
    expect(sealingWith("b key").open(queued)).toEqual(queued);
    const changed = { ...queued, text: { $sealed: "AAAA" } };
    expect(ours.open(changed)).toEqual(changed);
  });
});
