import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { capped, lineDiff } from "../../src/core/text.js";

describe("a text with a limit", () => {
  test("that keeps within it is whole", () => {
    expect(capped("abc", 3, "Less.")).toEqual({ text: "abc", truncated: false });
  });

  test("that does not is cut at the end of a line, and says how much is missing and what to do", () => {
    const { text, truncated } = capped("one\ntwo\nthree", 9, "Read less.");
    expect([text, truncated]).toEqual(["one\ntwo\n[cut: 7 of 13 characters. Read less.]", true]);
  });

  test("is cut within a line where there is no other place", () => {
    expect(capped("abcdef", 4, "Less.").text).toBe("abcd\n[cut: 4 of 6 characters. Less.]");
  });

  test("never shows more than the limit beside the note, and never cuts in silence", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 200, unit: fc.constantFrom("a", "\n") }),
        fc.integer({ min: 1, max: 100 }),
        (text, max) => {
          const { text: shown, truncated } = capped(text, max, "Less.");
          expect(truncated).toBe(text.length > max);
          const [body = ""] = shown.split("\n[cut: ");
          if (truncated) expect(body.length).toBeLessThanOrEqual(max);
          expect(text.startsWith(truncated ? body : shown)).toBe(true);
        },
      ),
    );
  });
});

describe("what changed between two trees", () => {
  test("is the lines that went and came, and nothing of what stayed", () => {
    expect(lineDiff("a\nb\nc", "a\nx\nc")).toBe("- b\n+ x");
    expect(lineDiff("a\na\nb", "a\nb")).toBe("- a");
    expect(lineDiff("a", "a\na")).toBe("+ a");
  });

  test("is said to be nothing where nothing changed", () => {
    expect(lineDiff("a\nb", "a\nb")).toBe("(unchanged)");
  });

  test("has as many lines as the two differ by, whatever they are", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = lineDiff(before.join("\n"), after.join("\n"));
        const changed = diff === "(unchanged)" ? [] : diff.split("\n");
        const came = changed.filter((line) => line.startsWith("+ ")).length;
        expect(after.length - before.length).toBe(came - (changed.length - came));
      }),
    );
  });
});
