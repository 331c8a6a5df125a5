import { program } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { exported } from "../../src/core/export-program.js";

const target = {
  frame: [],
  locators: [{ by: "css", value: "#it" }],
  element: { tag: "a", role: "", name: "", text: "" },
};
const text = (steps: unknown[], more: Record<string, unknown> = {}): string =>
  exported(program.parse({ title: "t", steps, ...more }), "p");

test("names that are words of the language stand behind an object, and are none of the test's own", () => {
  const named = { params: [{ name: "class" }], secrets: [{ name: "test" }] };
  const made = text(
    [
      { do: "fill", target, value: { param: "class" } },
      { do: "click", target, opens: "new" },
      { do: "fill", tab: "new", target, value: { secret: "test" } },
    ],
    named,
  );
  expect(made).toContain('const params = {\n  class: process.env["class"] ?? "",\n};');
  expect(made).toContain('await tabs.main.locator("#it").fill(params.class);');
  expect(made).toContain(
    '[tabs.new] = await Promise.all([tabs.main.waitForEvent("popup"), tabs.main.locator("#it").click()]);',
  );
  expect(made).toContain('await tabs.new.locator("#it").fill(secrets.test);');
});

test("a dialog is answered by what is there before the step that opens it", () => {
  const made = text([
    { do: "click", target },
    { do: "dialog", accept: true, promptText: "yes" },
  ]);
  const answer = made.indexOf('tabs.main.once("dialog", (dialog) => void dialog.accept("yes"));');
  expect(answer).toBeGreaterThan(0);
  expect(made.indexOf(".click()")).toBeGreaterThan(answer);
});

test("a tab that is to close may do so by itself first", () => {
  const made = text([
    { do: "open_tab", opens: "second", url: "http://a.example/" },
    { do: "close_tab", tab: "second" },
  ]);
  expect(made).toContain("tabs.second = await context.newPage();");
  expect(made).toContain('waitForEvent("close", { timeout: 5000 }).catch(() => tabs.second.close());');
});
