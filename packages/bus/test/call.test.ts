import { type Answer, type Call, noIdentity, operationNamed } from "@holdfast/protocol";
import { until } from "@holdfast/testkit";
import { describe, expect, test } from "vitest";
import { call } from "../src/call.js";
import { serve } from "../src/serve.js";
import { withBus } from "./support.js";

const { nats, bus, another } = withBus();
const status = operationNamed("project_status");
const caller = { caller: "test" };
const code = (answer: Answer): string | null => (answer.ok ? null : answer.failure.code);

describe("a call", () => {
  test("whose arguments are wrong is refused before anything is sent", async () => {
    const answer = await call(bus(), status, { workspaceId: "a.b" }, caller);
    expect([code(answer), answer.identity.operationId]).toEqual(["MCP_BAD_ARGUMENTS", ""]);
  });

  test("that nobody serves is MCP_BUS_DOWN; a read of a page that no worker serves is MCP_NO_WORKER", async () => {
    expect(code(await call(bus(), status, {}, caller))).toBe("MCP_BUS_DOWN");
    expect(code(await call(bus(), operationNamed("browser_snapshot"), {}, caller))).toBe("MCP_NO_WORKER");
  });

  test("that is too large is refused, with how large it is and may be", async () => {
    const answer = await call(bus(), operationNamed("browser_evaluate"), { function: "x".repeat(800_000) }, caller);
    expect(code(answer)).toBe("MCP_BAD_ARGUMENTS");
    expect(answer).toMatchObject({ failure: { details: { bytesMax: 786_432 } } });
  });

  test("carries the id that its caller chose, or one that nobody can guess", async () => {
    const seen: Call[] = [];
    serve(bus(), { pattern: "holdfast.v1.admit.*", onFailure: () => undefined }, (body) => {
      const asked = body as Call;
      seen.push(asked);
      return { ok: true, result: null, identity: noIdentity(asked.operationId) };
    });
    const press = operationNamed("browser_press_key");
    const chosen = await call(bus(), press, { key: "a", operationId: "mine" }, caller);
    const minted = await call(bus(), press, { key: "a" }, caller);
    expect([chosen.identity.operationId, seen[0]?.chosen]).toEqual(["mine", true]);
    expect([/^o_[\w-]{16}$/.test(minted.identity.operationId), seen[1]?.chosen]).toEqual([true, false]);
  });

  test("that gets what is no answer is our fault, and says so", async () => {
    serve(bus(), { pattern: "holdfast.v1.query.view.status.*", onFailure: () => undefined }, () => ({ odd: true }));
    expect(code(await call(bus(), operationNamed("view_status"), {}, caller))).toBe("MCP_INTERNAL");
  });
});

test("a call that waits when the bus goes is MCP_BUS_DOWN within 3 s, as is the next, and the one after its return is answered", async () => {
  const client = await another("client");
  const arrived: unknown[] = [];
  let hang = true;
  serve(bus(), { pattern: "holdfast.v1.query.system.status.*", onFailure: () => undefined }, (body) => {
    arrived.push(body);
    return hang ? new Promise(() => undefined) : { ok: true, result: null, identity: noIdentity("o1") };
  });
  await bus().nc.flush();
  const system = operationNamed("system_status");
  const waiting = call(client, system, {}, caller);
  await until(() => arrived.length === 1, { deadlineMs: 5_000, why: "the call has arrived" });
  await nats().kill();
  expect(code(await waiting)).toBe("MCP_BUS_DOWN");
  expect(code(await call(client, system, {}, caller))).toBe("MCP_BUS_DOWN");

  hang = false;
  await nats().restart();
  await until(async () => (await call(client, system, {}, caller)).ok, { deadlineMs: 10_000, why: "the bus is back" });
});
