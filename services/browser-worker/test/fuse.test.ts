import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { holds, until } from "@holdfast/testkit";
import { afterEach, expect, test } from "vitest";
import { FUSE_EVERY_MS, FUSE_MS } from "../src/limits.js";
import { lightFuse } from "../src/owned/fuse.js";

const FOLDER = "/tmp/holdfast-no-such-folder";
const begun: ChildProcess[] = [];

afterEach(() => {
  for (const child of begun) child.kill("SIGKILL");
});

/** Stands for a browser: in a group of its own, with the folder in its command line. */
function browser(named = FOLDER): ChildProcess & { pid: number } {
  const child = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)", named], {
    detached: true,
    stdio: "ignore",
  });
  begun.push(child);
  return child as ChildProcess & { pid: number };
}

const ended = (child: ChildProcess): boolean => child.signalCode === "SIGKILL";

test("a browser whose leases are not renewed in time is ended from outside", { timeout: 20_000 }, async () => {
  const child = browser();
  const out = lightFuse(child.pid, FOLDER, () => FUSE_MS - 100);
  await until(() => ended(child), { deadlineMs: 10_000, why: "it is ended" });
  out();
});

test("one whose leases are renewed lives on, and so does one that holds none", { timeout: 20_000 }, async () => {
  const [renewed, idle] = [browser(), browser()];
  let age = FUSE_MS - FUSE_EVERY_MS - 500;
  const out = [lightFuse(renewed.pid, FOLDER, () => age), lightFuse(idle.pid, FOLDER, () => null)];
  await holds(
    () => {
      age = 0;
      return !ended(renewed) && !ended(idle);
    },
    5_000,
    "both live",
  );
  for (const each of out) each();
});

test("a process that is not the browser any more is not touched", { timeout: 20_000 }, async () => {
  const other = browser("/tmp/somebody-else");
  const out = lightFuse(other.pid, FOLDER, () => FUSE_MS);
  await holds(() => !ended(other), 3_000, "it lives");
  out();
  other.kill("SIGTERM");
  await once(other, "exit");
  expect(other.signalCode).toBe("SIGTERM");
});
