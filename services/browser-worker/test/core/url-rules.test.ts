import { URL_PATTERN } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { lookedAt, ruleAgainst, ruleAgainstAddress, ruleAgainstHost, rulesOf } from "../../src/core/url-rules.js";

const none = { allow: [], deny: [] };
const denies = (pattern: string, url: string): boolean =>
  ruleAgainst(rulesOf(none, { allow: [], deny: [pattern] }), url) !== null;
const allows = (pattern: string, url: string): boolean =>
  ruleAgainst(rulesOf(none, { allow: [pattern], deny: [] }), url) === null;

describe("a pattern", () => {
  test.each([
    ["example.com", "https://example.com/", true],
    ["example.com", "http://example.com/a?b#c", true],
    ["example.com", "https://example.com:8443/", true],
    ["example.com", "wss://example.com/socket", true],
    ["example.com", "https://user:word@example.com/", true],
    ["example.com", "https://EXAMPLE.com./", true],
    ["example.com", "https://www.example.com/", false],
    ["example.com", "https://example.com.evil.org/", false],
    ["example.com", "https://notexample.com/", false],
    ["example.com", "https://evil.org/?u=example.com", false],
    ["example.com", "https://example.com@evil.org/", false],
    ["*.example.com", "https://example.com/", true],
    ["*.example.com", "https://a.b.example.com/", true],
    ["*.example.com", "https://badexample.com/", false],
    ["*", "https://anything.org/", true],
    ["*", "about:blank", false],
    ["example.com:8443", "https://example.com:8443/", true],
    ["example.com:8443", "https://example.com/", false],
    ["example.com:443", "https://example.com/", true],
    ["example.com:443", "http://example.com/", false],
    ["example.com:80", "ws://example.com/", true],
    ["*:22", "http://any.org:22/", true],
    ["https://example.com", "https://example.com/", true],
    ["https://example.com", "wss://example.com/", true],
    ["https://example.com", "http://example.com/", false],
    ["http://*.example.com", "ws://a.example.com/", true],
    ["*://example.com", "http://example.com/", true],
    ["http:", "http://example.com/", true],
    ["http:", "ws://example.com/", true],
    ["http:", "https://example.com/", false],
    ["data:", "data:text/html,x", true],
    ["blob:", "blob:https://example.com/1", true],
    ["example.com/admin", "https://example.com/admin", true],
    ["example.com/admin", "https://example.com/admin/x?y", true],
    ["example.com/admin/", "https://example.com/admin/x", true],
    ["example.com/admin", "https://example.com/administrator", false],
    ["example.com/admin", "https://example.com/x/admin", false],
    ["example.com/admin", "https://example.com/%61dmin", true],
    ["example.com/admin", "https://example.com//admin", true],
    ["example.com/admin", "https://example.com/x/../admin", true],
    ["example.com/admin", "https://example.com/x/%2e%2e/admin", true],
    ["example.com/", "https://example.com/any", true],
    ["bücher.example", "https://xn--bcher-kva.example/", true],
    ["127.0.0.1", "http://0x7f.1/", true],
    ["127.0.0.1", "http://2130706433/", true],
    ["[::1]", "http://[0:0:0:0:0:0:0:1]:3000/", true],
  ])("%s on %s: %s", (pattern, url, expected) => {
    expect(pattern).toMatch(URL_PATTERN);
    expect([denies(pattern, url), pattern === "*" && !expected ? false : allows(pattern, url)]).toEqual(
      url.startsWith("about:") ? [expected, false] : [expected, expected || /^(data|blob):/.test(url)],
    );
  });

  test.each([
    "",
    "a b",
    "http://",
    "exa*mple.com",
    "example.*",
    "example.com:",
    "example.com:123456",
    "ftp://x",
    "x?y",
    "x#y",
    "u@x",
  ])("%j is none", (text) => {
    expect(text).not.toMatch(URL_PATTERN);
  });
});

describe("the preset", () => {
  const PRIVATE = [
    ..."127.0.0.1 127.8.8.8 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1".split(
      " ",
    ),
    ..."[::1] [::] [fe80::1] [fd00::1] [ff02::1] [::ffff:10.0.0.1] [::ffff:7f00:1] [64:ff9b::a00:1] [2002:a00:1::] [::7f00:1]".split(
      " ",
    ),
    ..."localhost localhost. a.localhost printer.local metadata.google.internal nas.lan router.home.arpa".split(" "),
  ];
  const PUBLIC =
    "8.8.8.8 172.32.0.1 100.128.0.1 192.169.0.1 [2606:4700::1] example.com localhost.example.com internal.example".split(
      " ",
    );
  test.each([...PRIVATE.map((host) => [host, true] as const), ...PUBLIC.map((host) => [host, false] as const)])(
    "private-network on %s: %s",
    (host, expected) => {
      expect(denies("private-network", `http://${host}:8080/x`)).toBe(expected);
      expect(allows("private-network", `http://${host}/`)).toBe(expected);
    },
  );

  test.each([
    ["https://www.google.com/search?q=x", true],
    ["https://google.co.uk/", true],
    ["https://www.bing.com/search", true],
    ["https://html.duckduckgo.com/html", true],
    ["https://search.yahoo.com/", true],
    ["https://yandex.ru/search", true],
    ["https://search.brave.com/", true],
    ["https://docs.google.com/", false],
    ["https://accounts.google.com/", false],
    ["https://google.com.evil.org/", false],
    ["https://bing.community/", false],
  ])("search-engines on %s: %s", (url, expected) => {
    expect(denies("search-engines", url)).toBe(expected);
  });
});

describe("rules", () => {
  test("deny wins over allow, and what the stack forbids no project allows", () => {
    const rules = rulesOf({ allow: [], deny: ["a.org"] }, { allow: ["a.org", "b.org"], deny: ["b.org/x"] });
    expect(ruleAgainst(rules, "https://a.org/")).toBe("stack denies a.org");
    expect(ruleAgainst(rules, "https://b.org/x/y")).toBe("project denies b.org/x");
    expect(ruleAgainst(rules, "https://b.org/")).toBeNull();
    expect(ruleAgainst(rules, "https://c.org/")).toBe("project allows only a.org, b.org");
    expect(
      ruleAgainst(rulesOf({ allow: ["a.org"], deny: [] }, { allow: ["b.org"], deny: [] }), "https://b.org"),
    ).toMatch(/^stack allows only/);
  });

  test("a blank page, data and blobs need no leave", () => {
    const rules = rulesOf(none, { allow: ["a.org"], deny: ["*"] });
    for (const url of ["about:blank", "data:text/html,x", "blob:null/1"]) expect(ruleAgainst(rules, url)).toBeNull();
  });

  test("where only the host is known, a rule about a path forbids nothing and allows its host", () => {
    const rules = rulesOf(none, { allow: ["a.org/x", "b.org"], deny: ["b.org/y"] });
    const at = (host: string) => ruleAgainstHost(rules, { scheme: "https", host, port: "443" });
    expect([at("a.org"), at("b.org")]).toEqual([null, null]);
    expect(at("c.org")).toMatch(/^project allows only/);
  });

  test("a name that leads to a denied address is denied", () => {
    const rules = rulesOf({ allow: [], deny: ["private-network"] }, none);
    const place = { scheme: "https", host: "rebind.example", port: "443" };
    expect(ruleAgainstHost(rules, place)).toBeNull();
    for (const address of ["127.0.0.1", "::1", "::ffff:192.168.0.1"])
      expect(ruleAgainstAddress(rules, address, place)).not.toBeNull();
    expect(ruleAgainstAddress(rules, "93.184.216.34", place)).toBeNull();
  });

  test("nothing is looked at where there is no rule, and otherwise never less than what is forbidden", () => {
    expect(lookedAt(rulesOf(none, none))).toEqual([]);
    expect(lookedAt(rulesOf(none, { allow: [], deny: ["*.a.org/x"] }))).toEqual([{ urlPattern: "*://*a.org*" }]);
    expect(lookedAt(rulesOf(none, { allow: ["a.org"], deny: [] }))).toEqual([
      { urlPattern: "*", resourceType: "Document" },
    ]);
  });
});
