// `npm test [-- file filters of vitest]`: everything that can be checked, and as the last line how it went.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { checkNode, foreground, prepare, root, say, setUpPrograms, step } from "./lib.mjs";

/** What the tests of a browser that is shown need: a screen that nobody sees, and another program's window on it. */
const DISPLAY = { Xvfb: "xvfb", xdotool: "xdotool", xev: "x11-utils" };
/** A fresh machine often updates itself in the background; apt waits for it this long, in seconds. */
const APT = ["-o", "DPkg::Lock::Timeout=120"];

const bin = (name) => join(root, "node_modules/.bin", name);

checkNode();
process.chdir(root);
const counts = await everything(process.argv.slice(2));
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
process.exitCode = counts.failed > 0 ? 1 : 0;
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);

async function everything(filters) {
  // Without packages, a build and the programs nothing below could tell anything.
  if (!(await prepare()) || !(await setUpPrograms()) || !(await setUpDisplay()))
    return { passed: 0, failed: 1, skipped: 0 };
  const checks = filters.length > 0 ? [] : await staticChecks();
  const tests = await vitest(filters);
  return {
    passed: tests.passed + checks.filter(Boolean).length,
    failed: tests.failed + checks.filter((ok) => !ok).length,
    skipped: tests.skipped,
  };
}

async function setUpDisplay() {
  const isThere = (program) => (process.env.PATH ?? "").split(delimiter).some((dir) => existsSync(join(dir, program)));
  const missing = Object.entries(DISPLAY).flatMap(([program, pkg]) => (isThere(program) ? [] : [pkg]));
  if (missing.length === 0) return true;
  const install = ["install", "-y", "--no-install-recommends", ...missing];
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    say(`The tests of a browser that is shown need ${missing.join(", ")}: sudo apt-get ${install.join(" ")}`);
    return false;
  }
  return (
    (await step("Package lists", "apt-get", [...APT, "update"])) &&
    step("Screen for tests", "apt-get", [...APT, ...install])
  );
}

async function staticChecks() {
  return [
    await step("Lint: biome", bin("biome"), ["check", "."]),
    await step("Lint: oxlint", bin("oxlint"), ["--type-aware", "--deny-warnings"]),
    await step("Types of the tests", bin("tsc"), ["-p", "tests/tsconfig.check.json"]),
  ];
}

async function vitest(filters) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-test-"));
  const file = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const code = await foreground(bin("vitest"), ["run", ...reporters, ...filters]);
  const report = readReport(file);
  rmSync(folder, { recursive: true, force: true });
  if (report === null) {
    say(`vitest ended with code ${code} and left no report.`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
  return countsOf(report, code);
}

function countsOf(report, code) {
  // A file that could not be loaded has no tests that could fail: it counts as one.
  const broken = report.testResults.filter((one) => one.status === "failed" && one.assertionResults.length === 0);
  for (const one of broken) say(`${one.name}: ${one.message}`);
  const failed = report.numFailedTests + broken.length;
  // An error outside of any test makes vitest fail with every test passed.
  const crashed = code !== 0 && failed === 0 ? 1 : 0;
  const skipped = report.numPendingTests + report.numTodoTests;
  return { passed: report.numPassedTests, failed: failed + crashed, skipped };
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}
