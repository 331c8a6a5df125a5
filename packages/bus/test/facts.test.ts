import type { FactRecord } from "@holdfast/protocol";
import { until } from "@holdfast/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import { provision } from "../src/assets.js";
import { followFacts, tell } from "../src/facts.js";
import { withBus } from "./support.js";

const { bus } = withBus();
beforeAll(() => provision(bus()));

function moved(viewerId: string) {
  return { fact: "view.moved", viewerId, tabId: null } as const;
}

async function seenFrom(options: { workspaceId?: string; from?: number }, count: number): Promise<FactRecord[]> {
  const seen: FactRecord[] = [];
  const following = await followFacts(bus(), options, (record) => seen.push(record));
  await until(() => seen.length >= count, { deadlineMs: 5_000, why: `${count} facts are seen` });
  await following.stop();
  return seen;
}

describe("facts", () => {
  test("are kept in the order in which they were told, and can be read again from any of them", async () => {
    const sequences: number[] = [];
    for (const viewerId of ["v1", "v2", "v3"]) sequences.push(await tell(bus(), "kept", moved(viewerId)));
    const [first = 0, second = 0] = sequences;
    const all = await seenFrom({ workspaceId: "kept", from: first }, 3);
    expect(all.map((record) => record.sequence)).toEqual(sequences);
    expect((await seenFrom({ workspaceId: "kept", from: second }, 2)).map((record) => record.fact)).toEqual([
      moved("v2"),
      moved("v3"),
    ]);
  });

  test("of one project are told without those of others", async () => {
    const from = await tell(bus(), "mine", moved("a"));
    await tell(bus(), "theirs", moved("b"));
    await tell(bus(), "mine", moved("c"));
    const seen = await seenFrom({ workspaceId: "mine", from }, 2);
    expect(seen.map((record) => [record.workspaceId, record.fact])).toEqual([
      ["mine", moved("a")],
      ["mine", moved("c")],
    ]);
  });

  test("are told to a follower from the moment he follows, when he names no other", async () => {
    await tell(bus(), "late", moved("before"));
    const seen: FactRecord[] = [];
    const following = await followFacts(bus(), { workspaceId: "late" }, (record) => seen.push(record));
    await tell(bus(), "late", moved("after"));
    await until(() => seen.length > 0, { deadlineMs: 5_000, why: "the next fact is seen" });
    await following.stop();
    expect(seen.map((record) => record.fact)).toEqual([moved("after")]);
  });
});
