import type { LoginSeen, Profile } from "@holdfast/protocol";
import type { Page } from "playwright";
import { LOGIN_CHECK_MS } from "../limits.js";
import type { Project } from "../project.js";
import { checked } from "../rules/address.js";
import { within } from "../within.js";

export type LoginCheck = NonNullable<Profile["loginCheck"]>;

export interface Login {
  readonly profileId: string;
  readonly check: LoginCheck;
}

/**
 * Looks whether a profile is logged in: opens the address in a page of its own in that profile, which is no tab, and looks
 * for what must be there. Bounded, and whatever goes wrong means that it was not seen.
 */
export async function lookAtLogin(project: Project, { profileId, check }: Login): Promise<LoginSeen> {
  const seen = (state: LoginSeen["state"], reason: string): LoginSeen => {
    return { profileId, state, reason, at: new Date().toISOString() };
  };
  let found: LoginSeen = seen("not_logged_in", `${check.url} did not show it within ${LOGIN_CHECK_MS} ms.`);
  const looking = project.profiles.aside(profileId, async (page) => {
    const missing = await lookFor(page, check);
    found = missing === null ? seen("logged_in", `${check.url} showed it.`) : seen("not_logged_in", missing);
  });
  looking.catch((thrown: unknown) => {
    const [said = ""] = (thrown instanceof Error ? thrown.message : String(thrown)).split("\n");
    found = seen("not_logged_in", `${check.url} could not be looked at: ${said}`);
  });
  await within(LOGIN_CHECK_MS, looking);
  return found;
}

/** What must be there and is not, as a sentence; null if all is. */
async function lookFor(page: Page, { url, text, selector }: LoginCheck): Promise<string | null> {
  const timeout = LOGIN_CHECK_MS;
  const response = await page.goto(checked(url).href, { waitUntil: "domcontentloaded", timeout });
  const status = response?.status() ?? 0;
  if (status >= 400) return `${url} answered ${status}.`;
  // A page of its own shows what was asked for; a login page that one is sent to instead shows another address.
  if (text === undefined && selector === undefined) {
    return samePlace(page.url(), url) ? null : `${url} led to ${placeOf(page.url())}.`;
  }
  if (text !== undefined && !(await shows(page.getByText(text).first()))) return `${url} does not show "${text}".`;
  if (selector !== undefined && !(await shows(page.locator(selector).first()))) return `${url} has no ${selector}.`;
  return null;
}

async function shows(element: ReturnType<Page["locator"]>): Promise<boolean> {
  // Half of the time, so that what is not there can still be told within the whole.
  return element.waitFor({ state: "visible", timeout: LOGIN_CHECK_MS / 2 }).then(
    () => true,
    () => false,
  );
}

function samePlace(a: string, b: string): boolean {
  return placeOf(a) === placeOf(b);
}

/** The address without query and fragment, which may carry what is nobody's business. */
function placeOf(address: string): string {
  if (!URL.canParse(address)) return address;
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}
