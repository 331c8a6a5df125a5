import { readFile } from "node:fs/promises";
import type { Browser, CDPSession } from "playwright";
import type { BrowserHost } from "../browser.js";

const sessions = new WeakMap<Browser, Promise<CDPSession>>();
const KILOBYTE = 1_024;

/**
 * Bytes that the browser's processes have for themselves; what they share is in the system once, and is not counted.
 * Null where the system does not tell: only Linux does so without a helper program.
 */
export async function memoryUsed(host: BrowserHost): Promise<number | null> {
  if (process.platform !== "linux") return null;
  const browser = await host.browser();
  const session = sessions.get(browser) ?? browser.newBrowserCDPSession();
  sessions.set(browser, session);
  const { processInfo } = await (await session).send("SystemInfo.getProcessInfo");
  const used = await Promise.all(processInfo.map(({ id }) => privateBytes(id)));
  return used.some((bytes) => bytes !== null) ? used.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0) : null;
}

/** Null for a process that has ended meanwhile, or that is not on this machine. */
async function privateBytes(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const found = /^RssAnon:\s+(\d+) kB$/m.exec(status);
  return found ? Number(found[1]) * KILOBYTE : null;
}
