import { describe, expect, test } from "vitest";
import { PROVED_UP_TO_STEP, promises, verifies } from "./promises.js";
import { citationsIn } from "./support/citations.js";
import type { Promised } from "./support/promise.js";
import { codeFiles } from "./support/sources.js";

const all: Readonly<Record<string, Promised>> = promises;
const OWN = "tests/promises.test.ts";
const testFiles = codeFiles().filter(({ path }) => path.endsWith(".test.ts") && path !== OWN);
const cited = testFiles.flatMap(citationsIn);

describe("promises", () => {
  test("each one up to the present step is proved by a test", () => {
    const proved = new Set(cited.map(({ id }) => id));
    const due = Object.entries(all).filter(([id, { step }]) => step <= PROVED_UP_TO_STEP && !proved.has(id));
    expect(due.map(([id, { sentence }]) => `${id}: ${sentence}`)).toEqual([]);
  });

  test("each one that a test says it proves has been made", () => {
    expect(cited.filter(({ id }) => !(id in all))).toEqual([]);
  });

  test("are sentences: each says one thing, once, in words that a stranger knows", () => {
    const sentences = Object.values(all).map(({ sentence }) => sentence);
    expect(new Set(sentences).size).toBe(sentences.length);
    expect(sentences.filter((sentence) => sentence.length > 160 || sentence.endsWith("."))).toEqual([]);
  });

  test("are read out of code, not out of comments", () => {
    const text = '// verifies("a")\ntest(verifies("b"), () => {});\ntest.each([1])(verifies("c", "%s"), () => {});\n';
    expect(citationsIn({ path: "x.test.ts", text, isTest: true }).map(({ id }) => id)).toEqual(["b", "c"]);
    expect(verifies("stop.twice", "at once")).toMatch(/^a second stop .* \(at once\)$/);
  });
});
