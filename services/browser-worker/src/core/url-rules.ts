import type { UrlRules } from "@holdfast/protocol";
import { matches, type Pattern, type Place, patternOf, placeOf } from "./url-patterns.js";

/** Rules, read: first the stack's, then the project's. What one of them forbids, the other cannot allow. */
export type Rules = readonly RuleList[];

export interface RuleList {
  readonly whose: "stack" | "project";
  readonly allow: readonly Pattern[];
  readonly deny: readonly Pattern[];
}

/** Which requests have to be looked at in the browser; all others are not even paused. */
export interface LookedAt {
  readonly urlPattern: string;
  readonly resourceType?: "Document";
}

export function rulesOf(stack: UrlRules, project: UrlRules): Rules {
  const read = (whose: RuleList["whose"], { allow, deny }: UrlRules): RuleList => ({
    whose,
    allow: allow.map(patternOf),
    deny: deny.map(patternOf),
  });
  return [read("stack", stack), read("project", project)].filter(({ allow, deny }) => allow.length + deny.length > 0);
}

/** The rule that forbids an address, in words; null when none does. Deny wins over allow. */
export function ruleAgainst(rules: Rules, address: string): string | null {
  const place = placeOf(address);
  return place ? ruleAgainstPlace(rules, place) : "no address";
}

/** Likewise where only the host is known: a rule about a path forbids nothing here, and allows its host. */
export function ruleAgainstHost(rules: Rules, host: Omit<Place, "path">): string | null {
  return ruleAgainstPlace(rules, { ...host, path: null });
}

/** Whether what a name stands for is denied: a name that is allowed must not lead to an address that is not. */
export function ruleAgainstAddress(rules: Rules, address: string, place: Omit<Place, "path">): string | null {
  const at = { ...place, host: address.includes(":") ? `[${address}]` : address, path: null };
  return firstDenied(rules, at);
}

function ruleAgainstPlace(rules: Rules, place: Place): string | null {
  return firstDenied(rules, place) ?? firstNotAllowed(rules, place);
}

function firstDenied(rules: Rules, place: Place): string | null {
  for (const { whose, deny } of rules) {
    const found = deny.find((pattern) => matches(pattern, place));
    if (found) return `${whose} denies ${found.text}`;
  }
  return null;
}

/** What has no host (a blank page, data, a blob) is the page's own, and needs nobody's leave. */
function firstNotAllowed(rules: Rules, place: Place): string | null {
  if (place.host === "") return null;
  const closed = rules.find(({ allow }) => allow.length > 0 && !allow.some((pattern) => matches(pattern, place, true)));
  return closed ? `${closed.whose} allows only ${closed.allow.map(({ text }) => text).join(", ")}` : null;
}

/**
 * What is to be looked at in the browser, in the language of CDP `Fetch`: somewhat more than what is forbidden, never less.
 * What a list of allowed hosts leaves out cannot be said there, so all documents are looked at, and the rest is the proxy's.
 */
export function lookedAt(rules: Rules): LookedAt[] {
  const denied = rules.flatMap(({ deny }) => deny.flatMap(globsOf));
  const ofPaths = rules.flatMap(({ allow }) => allow.filter(({ path }) => path !== null).flatMap(globsOf));
  const closed = rules.some(({ allow }) => allow.length > 0);
  const globs = [...new Set([...denied, ...ofPaths])].map((urlPattern) => ({ urlPattern }));
  return closed ? [...globs, { urlPattern: "*", resourceType: "Document" }] : globs;
}

const PRESET_GLOBS = {
  "private-network": ["0.", "10.", "100.", "127.", "169.254.", "172.", "192.", "198.", "2", "[", "*localhost", "*local"]
    .map((host) => `*://${host}*`)
    .concat("*.internal*", "*.intranet*", "*.lan*", "*.home.arpa*"),
  "search-engines": [
    ...["google.", "bing.com", "duckduckgo.com", "search.", "baidu.com", "yandex.", "ya.ru", "ecosia.org"],
    ...["startpage.com", "qwant.com", "ask.com", "mojeek.com", "sogou.com", "kagi.com", "so.com"],
  ].map((host) => `*://*${host}*`),
} as const;

function globsOf({ preset, scheme, host }: Pattern): string[] {
  if (preset) return [...PRESET_GLOBS[preset]];
  const head = scheme === null ? "*" : scheme;
  if (host === null) return [scheme === null ? "*" : `${scheme}:*`];
  return [`${head}://*${host}*`];
}
