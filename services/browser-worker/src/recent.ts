import { STOPPED_MAX } from "./limits.js";

/** Ids, the latest of which are remembered. */
export class Recent {
  readonly #ids = new Set<string>();

  add(id: string): void {
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > STOPPED_MAX && oldest !== undefined) this.#ids.delete(oldest);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }
}
