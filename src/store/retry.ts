/** A store that has not responded after this long is given up: clients prefer an error to waiting longer. */
export const READ_TIMEOUT_MS = 3_000;

/** How often and how long an operation is tried again. */
export interface RetryPolicy {
  /** Whether an error is worth another attempt. */
  isTransient: (error: unknown) => boolean;
  /** The longest pause before the second attempt; each further one may be twice as long. */
  firstPauseMs: number;
  /** Pauses together are at most this long. An attempt may take any time. */
  totalPauseMs: number;
}

/** The times for a store that responds in milliseconds: most transient errors are over within a second. */
export const SHORT_PAUSES = { firstPauseMs: 40, totalPauseMs: 1_000 };

/**
 * Runs an operation again if it fails with a transient error.
 * @throws what the last attempt threw
 */
export async function retry<T>(operation: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  let remainingMs = policy.totalPauseMs;
  for (let maxPauseMs = policy.firstPauseMs; ; maxPauseMs *= 2) {
    try {
      return await operation();
    } catch (error) {
      // A random pause, so that instances that failed together do not try again together.
      const pause = Math.random() * maxPauseMs;
      remainingMs -= pause;
      if (remainingMs < 0 || !policy.isTransient(error)) throw error;
      await new Promise<void>((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** The result of the work, or an error if it takes too long; the work itself cannot be stopped. */
export async function withTimeout<T>(work: Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const onTimeout = () => timeout.reject(new Error(`The store did not respond within ${READ_TIMEOUT_MS} ms`));
  const timer = setTimeout(onTimeout, READ_TIMEOUT_MS);
  return Promise.race([work, timeout.promise]).finally(() => clearTimeout(timer));
}

/** Keeps work going when the request that began it ends, since other requests may be waiting for it too. */
export type WaitUntil = (work: Promise<unknown>) => void;

/** A read can be joined for this long after it began. Then the next request begins another one, because this one may hang. */
export const JOIN_WINDOW_MS = 1_000;

/**
 * Makes concurrent reads of the same thing one read: the first request begins it, and those that come within a second join it. Each has a
 * timer of its own, because the runtime may end the request that began the read, and with it the work that it began, without notice.
 */
export function createSingleFlight() {
  const running = new Map<string, { work: Promise<unknown>; startedAt: number }>();
  return <T>(name: string, read: () => Promise<T>, waitUntil: WaitUntil): Promise<T> => {
    const now = Date.now();
    const joinable = running.get(name);
    if (joinable && now - joinable.startedAt < JOIN_WINDOW_MS)
      return withTimeout(joinable.work as Promise<T>);
    const work = read();
    const entry = { work, startedAt: now };
    const forget = () => {
      if (running.get(name) === entry) running.delete(name);
    };
    running.set(name, entry);
    // The work forgets itself, too, because the request that began it may be gone when it ends.
    waitUntil(work.then(forget, forget));
    return withTimeout(work).finally(forget);
  };
}
