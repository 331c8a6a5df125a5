import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { locateChromium } from "@holdfast/cli";
import type { RawAsk } from "./raw.js";

/**
 * Raw Playwright in a process of its own. It times itself, so asking it costs nothing that is counted; and an MCP client
 * is measured in a process without Playwright, whose hooks make every promise dearer, as an agent's is.
 */
export class RawSide {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(): Promise<RawSide> {
    const side = new RawSide(fork(fileURLToPath(new URL("./raw.js", import.meta.url))));
    await side.#ask({ ask: "launch", executablePath: locateChromium()?.path ?? null });
    return side;
  }

  async stand(name: string, url: string): Promise<void> {
    await this.#ask({ ask: "stand", name, url });
  }

  /** The ms of each of so many calls. */
  time(name: string, count: number): Promise<number[]> {
    return this.#ask({ ask: "time", name, count });
  }

  close(): void {
    this.#child.disconnect();
  }

  async #ask(asked: RawAsk): Promise<number[]> {
    const answered = once(this.#child, "message");
    this.#child.send(asked);
    const [answer] = (await answered) as [{ times?: number[]; fault?: string }];
    if (answer.times) return answer.times;
    throw new Error(`Raw Playwright: ${answer.fault}`);
  }
}
