import { describe, expect, test } from "vitest";
import { decide } from "../../src/core/decide.js";
import { QUIT_ASK_MS } from "../../src/core/state.js";
import {
  AT,
  after,
  asked,
  closed,
  closing,
  codeOf,
  factsOf,
  idle,
  later,
  mutate,
  needsCheck,
  open,
  operating,
  running,
  start,
  stop,
  working,
} from "./states.js";

const ask = (quitId: string, at = AT) => ({ input: "quit_ask", quitId, at }) as const;
const release = (quitId: string, at = AT) => ({ input: "quit_release", quitId, at }) as const;
const close = (quitId: string, at = AT) => ({ input: "quit_close", quitId, at }) as const;

describe("a quit", () => {
  test.each([
    ["running", running],
    ["working", working],
    ["operating", operating],
    ["needs_check", needsCheck],
  ])("is refused by a project that is %s, and nothing has changed", (_phase, state) => {
    const decision = decide(state, ask("q1"));
    expect(codeOf(decision)).toBe("MCP_BACKGROUND_PROJECT_RUNNING");
    expect([decision.next, decision.effects]).toEqual([state, []]);
  });

  test("that is asked for holds new work back until its verdict, and then one of the two is refused", () => {
    const held = decide(asked, start("T"));
    expect([held.reply.reply, held.next]).toEqual(["wait", asked]);
    expect(decide(decide(asked, release("q1")).next, start("T")).next.execution?.id).toBe("T");
    expect(codeOf(decide(decide(asked, close("q1")).next, start("T")))).toBe("MCP_CLOSING");
  });

  test("that comes a moment after a task finds it, and one a moment before holds it back", () => {
    expect(codeOf(decide(decide(idle, start("T")).next, ask("q1")))).toBe("MCP_BACKGROUND_PROJECT_RUNNING");
    expect(decide(decide(idle, ask("q1")).next, start("T")).reply.reply).toBe("wait");
  });

  test("whose asker died is void after a while, and then it cannot close any more", () => {
    const late = later(QUIT_ASK_MS);
    expect(decide(asked, { ...start("T"), at: late }).next).toMatchObject({ quit: null, execution: { id: "T" } });
    expect(codeOf(decide(asked, close("q1", late)))).toBe("MCP_BACKGROUND_PROJECT_RUNNING");
  });

  test("is taken back by its own asker alone", () => {
    expect(decide(asked, release("q2")).next).toBe(asked);
    expect(decide(asked, release("q1")).next.quit).toBeNull();
  });

  test("beside another waits for that one's verdict", () => {
    expect(decide(asked, ask("q2")).reply.reply).toBe("wait");
    expect(codeOf(decide(asked, close("q2")))).toBe("MCP_BACKGROUND_PROJECT_RUNNING");
  });

  test("that was granted has no way back but the next start", () => {
    for (const input of [release("q1"), close("q1"), open()]) {
      expect(decide(closing, input).next).toBe(closing);
    }
    expect(decide(closing, { input: "restart", at: AT }).next.quit).toBeNull();
    expect(codeOf(decide(closing, ask("q2")))).toBe("MCP_CLOSING");
  });

  test("does not take a stop its answer", () => {
    for (const state of [asked, closing]) expect(codeOf(decide(state, stop("T")))).toBe("MCP_TASK_NOT_FOUND");
  });
});

describe("a project that is closed", () => {
  test("takes no work until it is opened again, and then stands where it stood", () => {
    const shut = decide(idle, { input: "close", at: AT });
    expect(factsOf(shut)).toEqual(["project.closed"]);
    expect(codeOf(decide(shut.next, mutate()))).toBe("MCP_PROJECT_NOT_FOUND");
    const opened = decide(shut.next, open());
    expect(factsOf(opened)).toEqual(["project.opened"]);
    expect(opened.next).toEqual(idle);
  });

  test("was not busy: a busy one is not closed", () => {
    for (const state of [running, operating])
      expect(codeOf(decide(state, { input: "close", at: AT }))).toBe("MCP_PROJECT_BUSY");
    expect(decide(closed, { input: "close", at: AT })).toEqual({ next: closed, effects: [], reply: { reply: "done" } });
  });
});

describe("a project that is opened again", () => {
  test("gains profiles and loses none, whatever goes on in it", () => {
    const profiles = [{ profileId: "second", displayName: "Two" }, { profileId: "third" }];
    const opened = decide(working, open(profiles));
    expect(opened.next.profiles).toEqual([{ profileId: "default" }, ...profiles]);
    expect(opened.next).toMatchObject({ execution: working.execution, pending: working.pending });
    expect(factsOf(opened)).toEqual([]);
  });
});

describe("a start of the stack", () => {
  test("ends the quit of the run before, and no task", () => {
    const state = after(working, [{ input: "restart", at: AT }], decide);
    expect(state).toBe(working);
  });
});
