import { readFileSync } from "node:fs";
import type { Step } from "./core/replay.js";
import { replay } from "./core/replay.js";

/** `node dist/replay.js FILE...`: decides recorded histories again, and tells where the states differ. Exit 1 if any does. */
const files = process.argv.slice(2).map((file) => ({ file, same: replayed(file) }));
process.exitCode = files.every(({ same }) => same) ? 0 : 1;

function replayed(file: string): boolean {
  const steps = stepsIn(readFileSync(file, "utf8"));
  const differences = replay(steps);
  const inputs = steps.reduce((sum, step) => sum + step.inputs.length, 0);
  console.log(`${file}: ${steps.length} steps, ${inputs} inputs, ${differences.length} differences`);
  for (const { step, why } of differences) console.log(`  step ${step}: ${why}`);
  return differences.length === 0 && steps.length > 0;
}

/** As it was written, a line for each step; or as it is kept, an object with all of them. */
function stepsIn(text: string): readonly Step[] {
  if (/^\s*\{\s*"what"/.test(text)) return (JSON.parse(text) as { steps: readonly Step[] }).steps;
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line): Step => JSON.parse(line));
}
