// `npm start [-- flags of holdfast up]`, and with `--run FILE` one of the programs under tests/ (demo, bench, generate).
import { existsSync } from "node:fs";
import { join } from "node:path";
import { checkNode, cli, foreground, prepare, root, say, setUpPrograms } from "./lib.mjs";

checkNode();
const [first, file, ...rest] = process.argv.slice(2);
process.exitCode = first === "--run" ? await run(file, rest) : await up(process.argv.slice(2));

async function up(args) {
  if (!(await prepare())) return 1;
  return foreground(process.execPath, [cli, "up", "--setup", ...args]);
}

/** `tests/demo/main.js` is run as it was built: `tests/dist/demo/main.js`. */
async function run(source = "", args) {
  if (!(await prepare())) return 1;
  const built = join(root, "tests/dist", source.replace(/^tests\//, ""));
  if (!existsSync(built)) {
    say(`There is no ${built}.`);
    return 2;
  }
  if (!(await setUpPrograms())) return 1;
  return foreground(process.execPath, [built, ...args]);
}
