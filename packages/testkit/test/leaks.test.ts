import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { allGone, descendants, processesNaming, stillThere } from "../src/leaks.js";
import { until } from "../src/wait.js";

test("the descendants of a process are seen, told apart when they are left, and gone when they are gone", async () => {
  const shell = spawn("/bin/sh", ["-c", "sleep 61.5 & sleep 62.5 & wait"], { stdio: "ignore" });
  const all = await until(() => whenTwo(descendants(shell.pid ?? 0)), { deadlineMs: 2000, why: "both children run" });
  expect(all.every((seen) => seen.parentPid === shell.pid)).toBe(true);

  shell.kill("SIGKILL");
  await once(shell, "exit");
  expect(stillThere(all)).toHaveLength(2);
  expect(processesNaming("sleep 61.5").map(({ pid }) => pid)).toEqual([all[0]?.pid]);
  await expect(allGone(all, 50)).rejects.toThrow(/2 processes are left.*\n.*sleep 6/);

  for (const { pid } of all) process.kill(pid, "SIGKILL");
  await allGone(all, 2000);
});

function whenTwo<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 2 ? list : undefined;
}
