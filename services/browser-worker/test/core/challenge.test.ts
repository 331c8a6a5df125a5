import { describe, expect, test } from "vitest";
import { challengeIn } from "../../src/core/challenge.js";

const asked = "https://search.example/search?q=holdfast";
const landing = (more: Partial<Parameters<typeof challengeIn>[0]> = {}) => ({
  asked,
  url: asked,
  status: 200,
  headers: {},
  ...more,
});

describe("a site that takes its visitor for a program", () => {
  test.each([
    ["Cloudflare", landing({ status: 403, headers: { "cf-mitigated": "challenge" } }), "cf-mitigated: challenge"],
    [
      "AWS WAF",
      landing({ status: 202, headers: { "x-amzn-waf-action": "challenge" } }),
      "x-amzn-waf-action: challenge",
    ],
    ["AWS WAF", landing({ status: 405, headers: { "x-amzn-waf-action": "Captcha" } }), "x-amzn-waf-action: captcha"],
    [
      "a search engine",
      landing({ status: 429, url: "https://search.example/sorry/index?continue=x" }),
      "429 at https://search.example/sorry/index",
    ],
  ])("is known by what it says (%s)", (_name, seen, told) => {
    expect(challengeIn(seen)).toBe(told);
  });

  test.each([
    ["a page", landing()],
    ["another page, by a redirect", landing({ url: "https://search.example/home" })],
    ["an error of the page itself", landing({ status: 429 })],
    ["the same page with another query", landing({ status: 403, url: "https://search.example/search?lang=en" })],
    ["a login that was sent to", landing({ status: 401, url: "https://search.example/login" })],
    ["a header of another meaning", landing({ headers: { "x-amzn-waf-action": "allow" } })],
  ])("is not %s", (_name, seen) => {
    expect(challengeIn(seen)).toBeNull();
  });
});
