import { describe, expect, test } from "vitest";
import { showsValues, withoutSecrets } from "../../src/core/secrets-in-tree.js";

const tree = [
  "- generic [ref=e1]:",
  '  - textbox "Secret" [active] [ref=e2]: swordfish',
  '  - textbox "Open" [ref=e3]: plain',
  '  - textbox "Other" [ref=e4]:',
  "    - /placeholder: your word",
  '    - text: "a: b"',
  "  - paragraph [ref=e5]: swordfish",
].join("\n");

describe("a page tree", () => {
  test("does not show what a field for a password holds, and shows all else", () => {
    expect(withoutSecrets(tree, ["swordfish", "a: b"]).split("\n")).toEqual([
      "- generic [ref=e1]:",
      '  - textbox "Secret" [active] [ref=e2]: [masked]',
      '  - textbox "Open" [ref=e3]: plain',
      '  - textbox "Other" [ref=e4]:',
      "    - /placeholder: your word",
      "    - text: [masked]",
      "  - paragraph [ref=e5]: swordfish",
    ]);
  });

  test("shows no value at all where the secrets could not be read", () => {
    const told = withoutSecrets(tree, null);
    for (const value of ["swordfish\n", "plain", "a: b"]) expect(told).not.toContain(value);
    expect(told).toContain("paragraph [ref=e5]: swordfish");
  });

  test("is as it was where there are none", () => {
    expect(withoutSecrets(tree, [])).toBe(tree);
  });

  test("is asked about only where a field shows something", () => {
    const shown = (...lines: string[]): boolean => showsValues(lines.join("\n"));
    expect(shown(tree)).toBe(true);
    expect(shown('- textbox "A" [ref=e1]: typed')).toBe(true);
    expect(shown('- spinbutton [ref=e1]: "3"')).toBe(true);
    expect(shown('- textbox "A" [ref=e1]:', "  - /placeholder: word", "  - text: typed")).toBe(true);
    expect(shown('- textbox "A" [ref=e1]:', "  - /placeholder: word", "- paragraph: typed")).toBe(false);
    expect(shown("- combobox [ref=e1]:", '  - option "One" [selected]')).toBe(false);
    expect(shown("- paragraph: textbox", '- textbox "A" [ref=e1]')).toBe(false);
  });
});
