import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { verifies } from "./promises.js";
import { ROOT } from "./support/sources.js";

const FOLDER = join(ROOT, "tests/histories");
const REPLAY = join(ROOT, "services/task-control/dist/replay.js");
const files = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));

/** What happened to real stacks, recorded by tests/scenarios/recorded-inputs.test.ts and decided again by this version. */
describe("recorded histories", () => {
  test("are there, and each says what happened", () => {
    expect(files.length).toBeGreaterThanOrEqual(4);
    for (const file of files) {
      const { what } = JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as { what: string };
      expect([file, /^[A-Z].*\.$/.test(what)]).toEqual([file, true]);
    }
  });

  test.each(files)(verifies("record.decides-again", "%s"), (file) => {
    const told = execFileSync(process.execPath, [REPLAY, join(FOLDER, file)], { encoding: "utf8" });
    expect(told).toMatch(/: [1-9]\d* steps, [1-9]\d* inputs, 0 differences/);
  });
});
