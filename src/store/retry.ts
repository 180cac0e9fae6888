/** A store that has not responded after this long is given up: clients prefer an error to waiting longer. */
export const HANGS_AFTER_MS = 3_000;

/** For this long after the first attempt an operation is tried again; most transient errors are over by then. */
export const RETRY_WITHIN_MS = 1_000;

/** The longest pause before the second attempt; each further one may be twice as long. */
const FIRST_PAUSE_MS = 40;

/**
 * Runs an operation again if it fails with a transient error.
 * @param isTransient whether an error is worth another attempt
 * @throws what the last attempt threw
 */
export async function retry<T>(
  operation: () => Promise<T>,
  isTransient: (error: unknown) => boolean,
): Promise<T> {
  const giveUpAt = Date.now() + RETRY_WITHIN_MS;
  for (let longest = FIRST_PAUSE_MS; ; longest *= 2) {
    try {
      return await operation();
    } catch (error) {
      // A random pause, so that instances that failed together do not try again together.
      const pause = Math.random() * longest;
      if (!isTransient(error) || Date.now() + pause > giveUpAt) throw error;
      await new Promise<void>((resolve) => setTimeout(resolve, pause));
    }
  }
}

/**
 * The result of the work, or an error if it takes too long; the work itself cannot be stopped.
 * @param onLate called if it takes too long
 */
export async function limitTime<T>(work: Promise<T>, onLate?: () => void): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    onLate?.();
    late.reject(new Error(`The store did not respond within ${HANGS_AFTER_MS} ms`));
  }, HANGS_AFTER_MS);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}
