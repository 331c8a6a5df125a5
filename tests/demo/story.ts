import { styleText } from "node:util";

const plain = !process.stdout.isTTY || process.env.NO_COLOR !== undefined;
const styled = (style: Parameters<typeof styleText>[0], text: string): string =>
  plain ? text : styleText(style, text);

let chapters = 0;
let claims = 0;

/** What is done next, as a heading. */
export function chapter(title: string): void {
  chapters += 1;
  console.log(`\n${styled("bold", `${chapters}. ${title}`)}`);
}

/** What happens, a line at a time. */
export function says(who: string, text: string): void {
  console.log(`   ${styled("cyan", who.padEnd(8))} ${text}`);
}

/**
 * Says that something holds, after having looked.
 * @throws Error when it does not: nothing here is said that was not seen
 */
export function claim(sentence: string, holds: boolean, seen: unknown): void {
  if (!holds) throw new Error(`This was claimed and is not so: ${sentence}\nSeen: ${JSON.stringify(seen, null, 2)}`);
  claims += 1;
  console.log(`   ${styled("green", "seen")}     ${sentence}`);
}

export function title(text: string): void {
  console.log(styled("bold", text));
}

export function end(startedAt: number): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`\n${styled("bold", `${claims} claims, each seen to hold, in ${seconds} s.`)}`);
}

/** How long something took, in whole ms, with what it gave. */
export async function timed<T>(run: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const begun = performance.now();
  const value = await run();
  return { value, ms: Math.round(performance.now() - begun) };
}
