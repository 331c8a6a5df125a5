import { describe, expect, test } from "vitest";
import { toolAnswer } from "../src/tool-answer.js";

const meta = {
  target: { workspaceId: "p", profileId: "default", tabId: "t1", url: "http://x/", title: "x" },
  operationId: "o1",
  newTabs: [],
  closedTabs: [],
  dialogs: [],
  downloads: [],
  replayed: false,
};
const error = { code: "MCP_TAB_GONE", message: "gone", details: {}, retry: "after_change" };

describe("a tool's answer", () => {
  test("is taken apart into text, structure, identity and image", () => {
    const answer = toolAnswer("browser_take_screenshot", {
      content: [
        { type: "text", text: "p/default/t1" },
        { type: "image", data: Buffer.from("png").toString("base64"), mimeType: "image/png" },
      ],
      structuredContent: { a: 1 },
      _meta: { "holdfast/result": meta },
    });
    expect(answer).toMatchObject({
      ok: true,
      code: null,
      text: "p/default/t1",
      structured: { a: 1 },
      meta: { operationId: "o1" },
    });
    expect(answer.image?.bytes.toString()).toBe("png");
  });

  test("tells a failure by its code", () => {
    const answer = toolAnswer("x", { isError: true, content: [], _meta: { "holdfast/result": { ...meta, error } } });
    expect(answer).toMatchObject({ ok: false, code: "MCP_TAB_GONE", structured: null });
  });

  test("without its identity is no answer", () => {
    expect(() => toolAnswer("x", { content: [] })).toThrow(/not whole/);
    expect(() =>
      toolAnswer("x", { content: [], _meta: { "holdfast/result": { ...meta, newTabs: undefined } } }),
    ).toThrow(/newTabs/);
  });

  test("that is an error without a code, or the other way round, is no answer", () => {
    expect(() => toolAnswer("x", { isError: true, content: [], _meta: { "holdfast/result": meta } })).toThrow(
      /isError is true/,
    );
    expect(() => toolAnswer("x", { content: [], _meta: { "holdfast/result": { ...meta, error } } })).toThrow(
      /isError is false/,
    );
  });
});
