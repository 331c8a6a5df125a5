import { describe, expect, test } from "vitest";
import { addressOf } from "../../src/core/urls.js";

function told(text: string): string {
  const address = addressOf(text);
  return address instanceof URL ? address.href : address.code;
}

describe("an address", () => {
  test.each([
    ["https://example.com/a?b#c", "https://example.com/a?b#c"],
    ["http://example.com", "http://example.com/"],
    ["HTTP://EXAMPLE.com/", "http://example.com/"],
    ["example.com", "https://example.com/"],
    ["example.com:8443/x", "https://example.com:8443/x"],
    ["  example.com  ", "https://example.com/"],
    ["localhost", "http://localhost/"],
    ["localhost:3000/a", "http://localhost:3000/a"],
    ["127.0.0.1:80/", "http://127.0.0.1/"],
    ["[::1]:3000", "http://[::1]:3000/"],
    ["about:blank", "about:blank"],
    ["data:text/html,<p>x</p>", "data:text/html,<p>x</p>"],
    ["localhost.example.com", "https://localhost.example.com/"],
  ])("%s is loaded as %s", (text, href) => {
    expect(told(text)).toBe(href);
  });

  test.each([
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "  javascript:alert(1)",
    "view-source:http://example.com",
    "chrome://settings",
    "chrome-extension://abc/x.html",
    "devtools://devtools/bundled/x.html",
    "ftp://example.com/",
    "ws://example.com/",
    "mailto:someone@example.com",
    "about:version",
    "ABOUT:settings",
  ])("%j is refused by its scheme", (text) => {
    expect(told(text)).toBe("MCP_URL_DENIED");
  });

  test.each([
    "",
    "   ",
    "http://",
    "https://",
    "http://a b",
    "://x",
    "http://exa mple.com",
    "http://[::1",
    "http://example.com:99999",
  ])("%j is no address", (text) => {
    expect(told(text)).toBe("MCP_BAD_ARGUMENTS");
  });

  test("a word that is none is refused, not searched for", () => {
    for (const text of ["hello", "two words", "what?", "hello/x.y"]) expect(told(text)).toBe("MCP_BAD_ARGUMENTS");
    for (const text of ["http://hello", "hello:8080", "localhost"]) expect(told(text)).toMatch(/^https?:/);
  });

  test("that hides its scheme does not get one that is refused", () => {
    for (const text of ["java\nscript:alert(1)", "\u0001javascript:alert(1)", "java\tscript:x", "//file:///etc"]) {
      expect(["MCP_URL_DENIED", "MCP_BAD_ARGUMENTS"]).toContain(told(text));
    }
  });
});
