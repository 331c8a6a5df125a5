/** Lets many wait for something to become so: each looks when it is told to, and nobody polls. */
export class Waits {
  readonly #looks = new Set<() => void>();

  /** Something changed: whoever waits looks. */
  tell(): void {
    for (const look of [...this.#looks]) look();
  }

  /** Calls back at every change until it is stopped. */
  on(look: () => void): () => void {
    this.#looks.add(look);
    return () => void this.#looks.delete(look);
  }

  /** Resolves as soon as it holds. @throws the signal's reason */
  until(holds: () => boolean, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = this.on(() => {
        if (holds()) settle(resolve);
      });
      const ended = (): void => settle(() => reject(signal?.reason));
      const settle = (act: () => void): void => {
        stop();
        signal?.removeEventListener("abort", ended);
        act();
      };
      signal?.addEventListener("abort", ended);
      if (signal?.aborted) ended();
      else if (holds()) settle(resolve);
    });
  }
}
