import { URL_PRESETS, type UrlPreset } from "@holdfast/protocol";
import { isPrivateHost } from "./addresses.js";

/** An address as patterns look at it. */
export interface Place {
  /** http and https stand for ws and wss too. */
  readonly scheme: string;
  /** Empty where the scheme has none. */
  readonly host: string;
  readonly port: string;
  /** Null where only the host is known. */
  readonly path: string | null;
}

/** A pattern, read. */
export interface Pattern {
  readonly text: string;
  readonly preset: UrlPreset | null;
  /** Null: any. */
  readonly scheme: string | null;
  /** Null: any. */
  readonly host: string | null;
  /** All that is below the host too. */
  readonly below: boolean;
  readonly port: string | null;
  readonly path: string | null;
}

const PARTS = /^(?:([a-z*]+):\/\/)?(\*|(?:\*\.)?[^\s/:*]+|\[[^\]]+\])(?::(\d+))?(\/.*)?$/i;
const WEB_SCHEMES: Readonly<Record<string, string>> = { ws: "http", wss: "https" };
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: "80", https: "443" };
/** Where people are sent to search; what else those houses offer is not meant. */
const SEARCH_ENGINES =
  /^((www|encrypted|images|news)\.)?google\.[a-z]{2,3}(\.[a-z]{2})?$|^((www|cn|global)\.)?bing\.com$|^((html|lite|start|www)\.)?duckduckgo\.com$|^([a-z]{2}\.)?search\.yahoo\.com$|^((www|m|image)\.)?baidu\.com$|^((www|m)\.)?(yandex\.[a-z.]{2,6}|ya\.ru)$|^((www)\.)?(ecosia\.org|startpage\.com|qwant\.com|ask\.com|mojeek\.com|sogou\.com|kagi\.com|so\.com)$|^search\.(brave|naver|aol|marginalia)\.(com|nu)$/;

/** Reads a pattern whose form `URL_PATTERN` has checked. */
export function patternOf(text: string): Pattern {
  const any: Pattern = { text, preset: null, scheme: null, host: null, below: false, port: null, path: null };
  const preset = URL_PRESETS.find((name) => name === text);
  if (preset) return { ...any, preset };
  if (/^[a-z]+:$/i.test(text)) return { ...any, scheme: web(text.slice(0, -1).toLowerCase()) };
  const [, scheme = "*", host = "*", port, path] = PARTS.exec(text) ?? [];
  return {
    ...any,
    scheme: scheme === "*" ? null : web(scheme.toLowerCase()),
    host: host === "*" ? null : hostOf(host.replace(/^\*\./, "")),
    below: host.startsWith("*."),
    port: port ?? null,
    path: path === undefined || path === "/" ? null : pathOf(path).replace(/\/$/, ""),
  };
}

/** The parts of an address that patterns look at; null for what is no address. */
export function placeOf(address: string): Place | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  const scheme = web(url.protocol.slice(0, -1));
  const port = url.port || (DEFAULT_PORTS[scheme] ?? "");
  return { scheme, host: bare(url.hostname), port, path: pathOf(url.pathname) };
}

/** Whether a pattern is about a place. Where the path is not known, a pattern with one is not, unless `mayBe`. */
export function matches(pattern: Pattern, place: Place, mayBe = false): boolean {
  if (pattern.preset) return place.host !== "" && inPreset(pattern.preset, place.host);
  if (pattern.scheme !== null && pattern.scheme !== place.scheme) return false;
  // A scheme alone, and `*`, are about all of it, but only the web has hosts that a `*` could stand for.
  if (pattern.host === null && pattern.scheme === null && place.host === "") return false;
  if (pattern.host !== null && !hostMatches(pattern, place.host)) return false;
  if (pattern.port !== null && pattern.port !== place.port) return false;
  if (pattern.path === null) return true;
  return place.path === null ? mayBe : place.path === pattern.path || place.path.startsWith(`${pattern.path}/`);
}

function hostMatches({ host, below }: Pattern, asked: string): boolean {
  return asked === host || (below && asked.endsWith(`.${host}`));
}

function inPreset(preset: UrlPreset, host: string): boolean {
  return preset === "private-network" ? isPrivateHost(host) : SEARCH_ENGINES.test(host);
}

function web(scheme: string): string {
  return WEB_SCHEMES[scheme] ?? scheme;
}

/** As a browser writes it: lower case, names of other scripts encoded, numbers of four bytes. */
function hostOf(text: string): string {
  return URL.canParse(`http://${text}`) ? bare(new URL(`http://${text}`).hostname) : text.toLowerCase();
}

/** The dot that a full name may end with names no other host. */
function bare(host: string): string {
  return host.replace(/\.$/, "");
}

/** One spelling of a path: a server takes `/%61` and `//a` for `/a`. */
function pathOf(path: string): string {
  const decoded = path.replaceAll(/%([0-9a-f]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return decoded.replaceAll(/[/\\]+/g, "/");
}
