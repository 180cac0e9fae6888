/** Reads of a store time out after this time, because clients prefer an error to a longer wait. */
export const READ_TIMEOUT_MS = 3_000;

export interface RetryPolicy {
  /** Whether an error is worth a retry. */
  isTransient: (error: unknown) => boolean;
  /** Max pause before the second attempt. The maximum doubles with each attempt. */
  firstPauseMs: number;
  /** Max sum of the pauses. The time of the attempts does not count. */
  totalPauseMs: number;
}

/** Pauses for a store that responds in milliseconds: most transient errors end within a second. */
export const SHORT_PAUSES = { firstPauseMs: 40, totalPauseMs: 1_000 };

/**
 * Runs an operation, and retries transient errors.
 * @throws the error of the last attempt
 */
export async function retry<T>(operation: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  let remainingMs = policy.totalPauseMs;
  for (let maxPauseMs = policy.firstPauseMs; ; maxPauseMs *= 2) {
    try {
      return await operation();
    } catch (error) {
      // The pause is random, so that instances that failed at the same time do not retry at the same time.
      const pause = Math.random() * maxPauseMs;
      remainingMs -= pause;
      if (remainingMs < 0 || !policy.isTransient(error)) throw error;
      await new Promise<void>((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** Rejects if the work exceeds `READ_TIMEOUT_MS`. The work itself cannot be stopped. */
export async function withTimeout<T>(work: Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const onTimeout = () => timeout.reject(new Error(`The store did not respond within ${READ_TIMEOUT_MS} ms`));
  const timer = setTimeout(onTimeout, READ_TIMEOUT_MS);
  return Promise.race([work, timeout.promise]).finally(() => clearTimeout(timer));
}

/** Lets work continue after the end of the request that started the work, because other requests may be waiting for the result. */
export type WaitUntil = (work: Promise<unknown>) => void;

/** Requests can join a read for this time after its start. Later requests start a new read, because the first read may hang. */
export const JOIN_WINDOW_MS = 1_000;

/**
 * Coalesces concurrent reads with the same name. Each request has its own timeout, because the runtime may end the request that started
 * the read, together with the read, without notice.
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
    // Remove the entry when the work ends, even if the request that started the work has ended before.
    waitUntil(work.then(forget, forget));
    return withTimeout(work).finally(forget);
  };
}
