/** Resolves after `ms`, or as soon as the signal aborts: for what has to look again at something that tells nobody. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    signal?.addEventListener("abort", over);
    if (signal?.aborted) over();
  });
}
