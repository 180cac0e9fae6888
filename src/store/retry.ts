/** For a store that responds in milliseconds. Together they are shorter than the timeout of a read. */
export const SHORT_PAUSES_MS = [50, 100, 200, 400];

/**
 * Runs an operation, and again after each pause while its error is transient.
 * @throws the error of the last attempt
 */
export async function retry<T>(
  operation: () => Promise<T>,
  isTransient: (error: unknown) => boolean,
  pausesMs: number[],
): Promise<T> {
  for (const pause of pausesMs) {
    try {
      return await operation();
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
    await new Promise<void>((resolve) => setTimeout(resolve, pause));
  }
  return operation();
}
