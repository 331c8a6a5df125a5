import { type Answer, failure, type Identity, noIdentity, operationNamed } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { identityLine, type Presented, present, presentFailure, RESULT_META } from "../src/present.js";

const target = { workspaceId: "shop-a", profileId: "default", tabId: "t3", url: "http://x/", title: 'A "title"' };
const identity: Identity = { ...noIdentity("o1"), target, taskId: "T" };
const plain = { structured: false, image: null };
const click = operationNamed("browser_click");

function textOf({ content }: Presented): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

function ok(result: unknown, changes: Partial<Identity> = {}): Answer {
  return { ok: true, result, identity: { ...identity, ...changes } };
}

describe("a page tool's answer", () => {
  test("begins with whose it is, and then says what was done", () => {
    const shown = present(click, ok({ text: "Clicked it." }), plain);
    expect(textOf(shown)).toBe('shop-a/default/t3 http://x/ "A \\"title\\""\nClicked it.');
    expect(identityLine(noIdentity("o1"))).toBe("");
  });

  test("is whole as text, and has no structured content unless the endpoint was asked for it", () => {
    const answer = ok({ text: "", snapshot: "- button" });
    expect(textOf(present(click, answer, plain))).toContain("- button");
    expect(present(click, answer, plain).structuredContent).toBeUndefined();
    expect(present(click, answer, { ...plain, structured: true }).structuredContent).toMatchObject({
      snapshot: "- button",
      identity,
    });
  });

  test("tells what happened meanwhile, a line each", () => {
    const meanwhile = {
      newTabs: [{ tabId: "t4", openerTabId: "t3", url: "http://x/b", state: "loading" as const }],
      closedTabs: ["t2"],
      dialogs: [{ tabId: "t3", kind: "confirm" as const, message: "sure?", open: true }],
      downloads: [{ url: "http://x/f", fileName: "f.bin" }],
      replayed: true,
    };
    const lines = textOf(present(click, ok({ text: "Clicked." }, meanwhile), plain))
      .split("\n")
      .slice(2);
    expect(lines).toEqual([
      "New tab t4 opened by t3, loading: http://x/b",
      "Closed tab t2.",
      'Open confirm on t3: "sure?"',
      "Download f.bin from http://x/f",
      "This is the stored outcome of that operationId; nothing was run again.",
    ]);
  });

  test("carries its picture as a picture", () => {
    const image = { data: "AAAA", mimeType: "image/png" };
    expect(present(click, ok({ text: "A picture." }), { ...plain, image }).content[1]).toEqual({
      type: "image",
      ...image,
    });
  });
});

test("a state tool's answer is structured content, and the same as text", () => {
  const result = { workspaceId: "shop-a", cursor: null };
  const shown = present(operationNamed("project_status"), ok(result), plain);
  expect(shown.structuredContent).toEqual(result);
  expect(JSON.parse(textOf(shown))).toEqual(result);
});

test("every answer carries the whole for programs in its _meta", () => {
  expect(present(click, ok({ text: "" }), plain)._meta[RESULT_META]).toEqual(identity);
});

describe("a failure", () => {
  const told = failure("MCP_TARGET_TAB_BUSY", "Held at t1.", { heldTabId: "t1" });
  const shown = presentFailure(told, identity);

  test("begins with its code, and has the details that a model needs", () => {
    expect(shown.isError).toBe(true);
    expect(textOf(shown)).toBe('MCP_TARGET_TAB_BUSY: Held at t1.\n{"heldTabId":"t1"}');
  });

  test("is whole in its _meta: code, message, details, and whether to try again", () => {
    const error = {
      code: "MCP_TARGET_TAB_BUSY",
      message: "Held at t1.",
      details: { heldTabId: "t1" },
      retry: "after_change",
    };
    expect(shown._meta[RESULT_META]).toEqual({ ...identity, error });
  });

  test("is a failure for every kind of tool: it is never structured content", () => {
    for (const name of ["browser_click", "project_status"]) {
      const answer: Answer = { ok: false, failure: told, identity };
      expect(present(operationNamed(name), answer, plain)).toEqual(shown);
    }
  });
});
