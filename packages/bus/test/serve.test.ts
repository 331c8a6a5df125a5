import type { Failure } from "@holdfast/protocol";
import { until } from "@holdfast/testkit";
import { describe, expect, test } from "vitest";
import { request } from "../src/request.js";
import { ANSWERED_ELSEWHERE, forward, replyTo, serve } from "../src/serve.js";
import { withBus } from "./support.js";

const { bus, another } = withBus();
const quiet = (): void => undefined;
const text = new TextEncoder();

describe("what is served", () => {
  test("is answered with what the handler gives, with the project as the last token", async () => {
    serve(bus(), { pattern: "echo.*", onFailure: quiet }, (body, { last }) => ({ body, last }));
    expect(await request(bus(), "echo.shop-a", { n: 1 })).toEqual({ body: { n: 1 }, last: "shop-a" });
  });

  test("is answered with a failure of the closed list when the handler throws", async () => {
    const failures: Failure[] = [];
    serve(bus(), { pattern: "throws", onFailure: (failure) => failures.push(failure) }, () => {
      throw new Error("fell over");
    });
    expect(await request(bus(), "throws", {})).toMatchObject({ ok: false, failure: { code: "MCP_INTERNAL" } });
    expect(failures).toHaveLength(1);
  });

  test("is refused when it is no JSON, and the next one is answered", async () => {
    serve(bus(), { pattern: "json", onFailure: quiet }, () => ({ ok: true }));
    const bad = await bus().nc.request("json", text.encode("{"));
    expect(bad.json()).toMatchObject({ ok: false, failure: { code: "MCP_BAD_ARGUMENTS" } });
    expect(await request(bus(), "json", {})).toEqual({ ok: true });
  });

  test("may end after its link was closed: that is told, and the process goes on", async () => {
    const failures: Failure[] = [];
    const closing = await another("closing");
    serve(closing, { pattern: "late", onFailure: (failure) => failures.push(failure) }, async () => {
      await closing.nc.close();
      return { ok: true };
    });
    await closing.nc.flush();
    await expect(request(bus(), "late", {}, { timeoutMs: 200 })).rejects.toThrow("No answer came");
    await until(() => failures.length > 0, { deadlineMs: 5_000, why: "it is told" });
  });

  test("does not wait behind what is served already: a stop passes work that hangs", async () => {
    let release = quiet;
    serve(bus(), { pattern: "both.*", onFailure: quiet }, (_body, { last }) => {
      if (last === "stop") return "stopped";
      return new Promise((resolve) => {
        release = () => resolve("ended");
      });
    });
    const hanging = request(bus(), "both.work", {});
    expect(await request(bus(), "both.stop", {})).toBe("stopped");
    release();
    expect(await hanging).toBe("ended");
  });

  test("may be answered by another, who is handed the asker's inbox", async () => {
    const other = await another("other");
    serve(bus(), { pattern: "front", onFailure: quiet }, (body, incoming) => {
      forward(bus(), "back", body, incoming.replyTo);
      return ANSWERED_ELSEWHERE;
    });
    serve(other, { pattern: "back", onFailure: quiet }, () => "from the back");
    await other.nc.flush();
    expect(await request(bus(), "front", {})).toBe("from the back");
  });
});

describe("a reply subject that is no inbox", () => {
  test("gets nothing: whoever names one cannot make a service publish there in its name", async () => {
    const forged: string[] = [];
    const handled: string[] = [];
    const attacker = await another("attacker");
    attacker.nc.subscribe("holdfast.v1.stop.*", { callback: (_error, message) => forged.push(message.subject) });
    serve(bus(), { pattern: "innocent", onFailure: quiet }, (body, incoming) => {
      handled.push(incoming.replyTo);
      replyTo(bus(), "holdfast.v1.stop.shop-a", body);
      return { kind: "stop" };
    });
    await Promise.all([attacker.nc.flush(), bus().nc.flush()]);
    attacker.nc.publish("innocent", text.encode("{}"), { reply: "holdfast.v1.stop.shop-a" });
    await until(() => handled.length === 1, { deadlineMs: 5_000, why: "the forged request is handled" });
    // What the service would have published is ahead of this on the same connection.
    await bus().nc.flush();
    await attacker.nc.flush();
    expect(handled).toEqual([""]);
    expect(forged).toEqual([]);
  });
});

describe("a request", () => {
  test("to nobody is MCP_BUS_DOWN, or what the caller says it means", async () => {
    await expect(request(bus(), "nobody", {})).rejects.toMatchObject({ failure: { code: "MCP_BUS_DOWN" } });
    await expect(request(bus(), "nobody", {}, { nobody: "MCP_NO_WORKER" })).rejects.toMatchObject({
      failure: { code: "MCP_NO_WORKER" },
    });
  });

  test("without an answer in its time is MCP_DEADLINE, and can be ended before by its asker", async () => {
    serve(bus(), { pattern: "silent", onFailure: quiet }, () => new Promise(quiet));
    await expect(request(bus(), "silent", {}, { timeoutMs: 20 })).rejects.toMatchObject({
      failure: { code: "MCP_DEADLINE" },
    });
    const wait = new AbortController();
    const asked = request(bus(), "silent", {}, { signal: wait.signal });
    wait.abort(new Error("the asker left"));
    await expect(asked).rejects.toThrow("the asker left");
  });

  test("that is too large for a message is refused before it is sent", async () => {
    const large = { text: "x".repeat(1_100_000) };
    await expect(request(bus(), "echo.a", large)).rejects.toMatchObject({ failure: { code: "MCP_BAD_ARGUMENTS" } });
  });
});
