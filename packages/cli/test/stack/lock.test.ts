import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ownerOf, takeLock } from "../../src/stack/lock.js";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-lock-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const leave = (text: string) => writeFileSync(join(dir, "holdfast.pid"), text);

test("a folder is taken once, and by name of the one that has it", () => {
  const lock = takeLock(dir);
  expect(() => takeLock(dir)).toThrow(`process ${process.pid}`);
  expect(ownerOf(dir)?.pid).toBe(process.pid);
  lock.release();
  expect(ownerOf(dir)).toBeNull();
  takeLock(dir).release();
});

test("a dead owner's folder is taken over", () => {
  leave(JSON.stringify({ pid: 2 ** 22 + 1, began: "1" }));
  const lock = takeLock(dir);
  expect(lock.wasStale).toBe(true);
  lock.release();
  expect(readdirSync(dir)).toEqual([]);
});

test("a later process with the owner's pid is not taken for the owner", () => {
  leave(JSON.stringify({ pid: process.pid, began: "long ago" }));
  expect(takeLock(dir).wasStale).toBe(true);
});

test("a lock that cannot be understood keeps nobody out", () => {
  leave("");
  expect(takeLock(dir).wasStale).toBe(true);
});

test("a lock that another has taken meanwhile is not released", () => {
  const lock = takeLock(dir);
  leave(JSON.stringify({ pid: 1, began: null }));
  lock.release();
  expect(ownerOf(dir)?.pid).toBe(1);
});
