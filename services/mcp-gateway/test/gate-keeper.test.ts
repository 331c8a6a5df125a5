import { expect, test } from "vitest";
import { GateKeeper } from "../src/gate-keeper.js";
import type { Presented } from "../src/present.js";

const done: Presented = { content: [], _meta: {} };

test("a call that is inside when the gate shuts is answered, and one that comes after is MCP_CLOSING", async () => {
  const gate = new GateKeeper();
  let answer: (value: Presented) => void = () => undefined;
  const inside = gate.pass(() => new Promise((resolve) => (answer = resolve)));
  const shut = gate.shut();
  expect([gate.state, gate.inside]).toEqual(["closing", 1]);
  const late = await gate.pass(async () => done);
  expect(late.content[0]).toMatchObject({ text: expect.stringMatching(/^MCP_CLOSING: /) });
  answer(done);
  expect(await inside).toBe(done);
  await shut;
  expect(gate.state).toBe("closed");
});

test("a call that throws leaves the gate too", async () => {
  const gate = new GateKeeper();
  await expect(gate.pass(() => Promise.reject(new Error("fell over")))).rejects.toThrow("fell over");
  expect(gate.inside).toBe(0);
  await gate.shut();
});
