import { until } from "@holdfast/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Bucket, openBucket } from "../src/kv.js";
import { mintFrom } from "../src/mint.js";
import { withBus } from "./support.js";

const { bus, another } = withBus();
const shape = z.object({ n: z.int() });
const open = (name: string): Promise<Bucket<{ n: number }>> => openBucket(bus(), { name }, shape);

describe("a bucket", () => {
  test("creates a key once: whoever comes second is told that it is there", async () => {
    const bucket = await open("CREATE");
    const first = await bucket.create("a", { n: 1 });
    expect(first).toEqual(expect.any(Number));
    expect(await bucket.create("a", { n: 2 })).toBeNull();
    expect(await bucket.get("a")).toEqual({ value: { n: 1 }, revision: first });
  });

  test("changes a key only from the revision that was read", async () => {
    const bucket = await open("UPDATE");
    const first = (await bucket.create("a", { n: 1 })) ?? 0;
    const second = (await bucket.update("a", { n: 2 }, first)) ?? 0;
    expect(second).toBeGreaterThan(first);
    expect(await bucket.update("a", { n: 3 }, first)).toBeNull();
    expect((await bucket.get("a"))?.value).toEqual({ n: 2 });
    expect(await bucket.remove("a", first)).toBe(false);
    expect(await bucket.remove("a", second)).toBe(true);
    expect(await bucket.get("a")).toBeNull();
    expect(await bucket.create("a", { n: 4 })).toEqual(expect.any(Number));
  });

  test("lets exactly one of many win, whatever connection they come from", async () => {
    const bucket = await open("RACE");
    const others = await Promise.all(
      ["one", "two"].map(async (name) => openBucket(await another(name), { name: "RACE" }, shape)),
    );
    const revision = (await bucket.create("a", { n: 0 })) ?? 0;
    const tries = [bucket, ...others].flatMap((each) =>
      Array.from({ length: 10 }, (_, n) => each.update("a", { n }, revision)),
    );
    const won = (await Promise.all(tries)).filter((each) => each !== null);
    expect(won).toHaveLength(1);
  });

  test("gives nothing that has another shape", async () => {
    const loose = await openBucket(bus(), { name: "SHAPE" }, z.unknown());
    await loose.create("a", { n: "text" });
    const strict = await open("SHAPE");
    await expect(strict.get("a")).rejects.toMatchObject({ failure: { code: "MCP_BAD_ARGUMENTS" } });
  });

  test("tells a watcher what is there, then every change, and what was deleted", async () => {
    const bucket = await open("WATCH");
    await bucket.create("a", { n: 1 });
    const seen: string[] = [];
    const watching = await bucket.watch((key, entry) => seen.push(`${key} ${entry?.value.n ?? "gone"}`));
    await bucket.create("b", { n: 2 });
    await bucket.remove("a");
    await until(() => seen.length >= 3, { deadlineMs: 5_000, why: "three changes are seen" });
    watching.stop();
    expect(seen).toEqual(["a 1", "b 2", "a gone"]);
    expect(await bucket.keys()).toEqual(["b"]);
  });
});

test("numbers are minted once, by however many at a time", async () => {
  const counters = await openBucket(bus(), { name: "COUNTERS" }, z.int());
  const mints = [mintFrom(counters, "tab"), mintFrom(counters, "tab"), mintFrom(counters, "tab")];
  const numbers = await Promise.all(mints.flatMap((mint) => Array.from({ length: 40 }, () => mint())));
  expect(new Set(numbers).size).toBe(120);
});
