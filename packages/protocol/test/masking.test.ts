import { describe, expect, test } from "vitest";
import { ARGUMENT_CHARS_MAX, argumentsTold, MASK, operationNamed, withoutUserInfo } from "../src/index.js";

describe("arguments as a record keeps them", () => {
  test("have no secret in them, and what names the field stays", () => {
    const type = { workspaceId: "a", target: "#x", text: "swordfish", submit: true };
    expect(argumentsTold(operationNamed("browser_type"), type)).toEqual({ target: "#x", text: MASK, submit: true });
    const field = { target: "#x", name: "Secret", type: "textbox", value: "swordfish" };
    expect(argumentsTold(operationNamed("browser_fill_form"), { fields: [field] })).toEqual({
      fields: [{ ...field, value: MASK }],
    });
  });

  test("name no project, tab, task or operation: the record has those as its own", () => {
    const whose = { workspaceId: "a", profileId: "b", tabId: "c", taskId: "d", operationId: "e" };
    expect(argumentsTold(operationNamed("browser_click"), { ...whose, target: "#x" })).toEqual({ target: "#x" });
  });

  test("have no password of an address in them, and long ones are cut", () => {
    const navigate = operationNamed("browser_navigate");
    expect(argumentsTold(navigate, { url: "https://ann:secret@a.example/x" })).toEqual({
      url: `https://${MASK}@a.example/x`,
    });
    const long = String(argumentsTold(navigate, { url: "x".repeat(ARGUMENT_CHARS_MAX * 2) }).url);
    expect(long.length).toBeLessThan(ARGUMENT_CHARS_MAX + 100);
    expect(withoutUserInfo("https://a.example/@b")).toBe("https://a.example/@b");
  });
});
