import { describe, expect, test } from "vitest";
import { cookieMark, missing, type Stored } from "../../src/core/storage.js";

const NOW = 1_000_000;
const cookie = (name: string, value = "v", expires = -1) => ({ name, domain: "a.example", path: "/", value, expires });
const entries = (...names: string[]) => [
  { origin: "http://a.example", localStorage: names.map((name) => ({ name, value: "v" })) },
];
const saved: Stored = { cookies: [cookie("sid"), cookie("old", "v", 1)], origins: entries("user") };

describe("what is missing of a saved storage", () => {
  test.each([
    ["nothing, when all is there", saved, []],
    ["nothing of a cookie that has expired", { ...saved, cookies: [cookie("sid")] }, []],
    ["a cookie", { ...saved, cookies: [] }, ["cookie sid of a.example"]],
    ["a cookie with another value", { ...saved, cookies: [cookie("sid", "w")] }, ["cookie sid of a.example"]],
    ["an entry", { ...saved, origins: [] }, ["entry user of http://a.example"]],
  ])("is %s", (_what, now, expected) => {
    expect(missing(saved, now, NOW, true)).toEqual(expected);
  });

  test("is nothing of what has another value, where only its being there counts", () => {
    expect(missing(saved, { ...saved, cookies: [cookie("sid", "w")] }, NOW, false)).toEqual([]);
  });
});

describe("the mark of cookies", () => {
  test("is the same in any order, and another for another value", () => {
    const [one, two] = [cookie("a"), cookie("b")];
    expect(cookieMark([one, two])).toBe(cookieMark([two, one]));
    expect(cookieMark([one])).not.toBe(cookieMark([cookie("a", "w")]));
  });
});
