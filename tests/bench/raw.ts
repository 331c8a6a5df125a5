import { chromium, type Page } from "playwright";
import { caseNamed } from "./cases.js";
import { refIn, repeated } from "./measure.js";

/** What this process is asked: to stand at a page, and to time calls there. */
export type RawAsk =
  | { readonly ask: "launch"; readonly executablePath: string | null }
  | { readonly ask: "stand"; readonly name: string; readonly url: string }
  | { readonly ask: "time"; readonly name: string; readonly count: number };

let page: Page | null = null;
let ref = "";

/** Raw Playwright, in a process that does nothing else: as a program of its own would use it. */
async function answer(asked: RawAsk): Promise<number[]> {
  if (asked.ask === "launch") {
    const { executablePath } = asked;
    const browser = await chromium.launch({
      ...(executablePath ? { executablePath } : {}),
      chromiumSandbox: process.getuid?.() !== 0,
      args: [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--disable-quic",
      ],
    });
    page = await browser.newPage();
    return [];
  }
  if (!page) throw new Error("The browser is not there yet.");
  const here = page;
  const one = caseNamed(asked.name);
  if (asked.ask === "time") return repeated(() => one.raw(here, ref), asked.count);
  await here.goto(asked.url);
  ref = refIn(await here.ariaSnapshot({ mode: "ai" }), one);
  return [];
}

process.on("message", (asked: RawAsk) => {
  answer(asked).then(
    (times) => process.send?.({ times }),
    (thrown: unknown) => process.send?.({ fault: String(thrown) }),
  );
});
// Whoever started us is gone.
process.on("disconnect", () => process.exit());
