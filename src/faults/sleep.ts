interface SleepOptions {
  /** Ends the wait early. */
  signal?: AbortSignal | undefined;
  /** Whether the wait keeps the process alive in Node. */
  keepsAlive?: boolean;
}

/** Resolves after a time, or when the signal aborts: the caller looks at the signal. */
export function sleep(milliseconds: number, { signal, keepsAlive = true }: SleepOptions = {}): Promise<void> {
  return new Promise((resolve) => {
    if (milliseconds === 0 || signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    if (!keepsAlive) unref(timer);
    signal?.addEventListener("abort", end, { once: true });
  });
}

/** In Node, a timer is an object. In workerd, it is a number, and no process waits for it. */
function unref(timer: number | { unref(): void }): void {
  if (typeof timer === "object") timer.unref();
}
