/** As far as it is looked at here: Playwright's storage state. */
export interface Stored {
  readonly cookies: readonly {
    readonly name: string;
    readonly domain: string;
    readonly path: string;
    readonly value: string;
    /** Seconds since the epoch; -1 for the length of a session. */
    readonly expires: number;
  }[];
  readonly origins: readonly {
    readonly origin: string;
    readonly localStorage: readonly { readonly name: string; readonly value: string }[];
  }[];
}

/** What was saved and is not there now, as short names for people: cookies that expired are not missed. */
export function missing(saved: Stored, now: Stored, atMs: number, sameValue: boolean): string[] {
  const cookies = saved.cookies
    .filter(({ expires }) => expires === -1 || expires * 1_000 > atMs)
    .filter((old) => !now.cookies.some((cookie) => isCookie(cookie, old) && (!sameValue || cookie.value === old.value)))
    .map(({ name, domain }) => `cookie ${name} of ${domain}`);
  const entries = saved.origins.flatMap(({ origin, localStorage }) => {
    const there = new Map(
      now.origins.find((each) => each.origin === origin)?.localStorage.map((e) => [e.name, e.value]),
    );
    return localStorage
      .filter(({ name, value }) => !there.has(name) || (sameValue && there.get(name) !== value))
      .map(({ name }) => `entry ${name} of ${origin}`);
  });
  return [...cookies, ...entries];
}

/** A short text that tells two sets of cookies apart. Values are compared and never told. */
export function cookieMark(cookies: Stored["cookies"]): string {
  return cookies
    .map(({ name, domain, path, value, expires }) => [domain, path, name, value, expires].join("\u0000"))
    .sort()
    .join("\n");
}

function isCookie(a: Stored["cookies"][number], b: Stored["cookies"][number]): boolean {
  return a.name === b.name && a.domain === b.domain && a.path === b.path;
}
