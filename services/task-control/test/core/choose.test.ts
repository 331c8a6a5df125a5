import { expect, test } from "vitest";
import { type Candidate, chooseWorker } from "../../src/core/choose.js";

const worker = (workerId: string, changes: Partial<Candidate> = {}): Candidate => ({
  workerId,
  state: "running",
  projects: 0,
  silentMs: 500,
  ...changes,
});

test.each([
  ["the one with the fewest projects", [worker("a", { projects: 3 }), worker("b", { projects: 1 })], [], "b"],
  ["none that gave no sign of life", [worker("a", { silentMs: 9_000 }), worker("b", { projects: 7 })], [], "b"],
  ["none that ends", [worker("a", { state: "draining" })], [], null],
  ["another than the one that did not answer", [worker("a"), worker("b", { projects: 9 })], ["a"], "b"],
  ["the same again when there is no other", [worker("a")], ["a"], "a"],
  ["nobody where there is nobody", [], [], null],
] as const)("to take a project is asked %s", (_whom, all, asked, chosen) => {
  expect(chooseWorker(all, asked, 2_500)).toBe(chosen);
});
