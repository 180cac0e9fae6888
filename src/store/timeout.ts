/** After this time, a read of a store counts as failed: clients prefer an error to a longer wait. */
export const READ_TIMEOUT_MS = 3_000;

/** Rejects if the work takes too long. It continues nevertheless. */
export async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const onTimeout = () => timeout.reject(new Error(`The store did not respond within ${timeoutMs} ms`));
  const timer = setTimeout(onTimeout, timeoutMs);
  return Promise.race([work, timeout.promise]).finally(() => clearTimeout(timer));
}
