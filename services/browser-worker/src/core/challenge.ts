/** What came of a load: the address that was asked for, and what the last of its redirects answered. */
export interface Landing {
  readonly asked: string;
  readonly url: string;
  readonly status: number;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * By what services say that they show a test for people instead of the page.
 * Cloudflare: "Detect a Challenge Page response" of its challenges documentation. AWS WAF: "CAPTCHA and Challenge action behavior"
 * of its developer guide.
 */
const SAID: Readonly<Record<string, readonly string[]>> = {
  "cf-mitigated": ["challenge"],
  "x-amzn-waf-action": ["challenge", "captcha"],
};

/** What search engines answer where they send a program instead of to the results. */
const TURNED_AWAY: readonly number[] = [403, 429, 503];

/**
 * What tells that the site took its visitor for a program, and showed something else than what was asked for; null if nothing does.
 * An error at the very address that was asked for is the page's own, and is shown as it is.
 */
export function challengeIn({ asked, url, status, headers }: Landing): string | null {
  for (const [name, values] of Object.entries(SAID)) {
    const value = headers[name]?.toLowerCase();
    if (value !== undefined && values.includes(value)) return `${name}: ${value}`;
  }
  return TURNED_AWAY.includes(status) && placeOf(asked) !== placeOf(url) ? `${status} at ${placeOf(url)}` : null;
}

function placeOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin + new URL(url).pathname : url;
}
