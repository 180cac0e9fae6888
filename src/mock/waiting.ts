/** How many responses of an instance wait at a time. In workerd each takes up to 0.1 MB, and an instance has 128 MB. */
export const MOST_WAITING = 100;

/** Bounds the number of responses that wait, because a stranger can ask for any number of them. */
export function createWaiting() {
  const ends = new Set<{ at: number }>();
  return {
    /**
     * Counts a response that is going to wait.
     * @param milliseconds after which it no longer counts: if a client disconnects, workerd ends the request without notice
     * @returns a function to call when it has waited; undefined if too many wait already
     */
    begin(milliseconds: number): (() => void) | undefined {
      if (milliseconds === 0) return () => {};
      const now = Date.now();
      for (const end of ends) if (end.at <= now) ends.delete(end);
      if (ends.size >= MOST_WAITING) return undefined;
      const end = { at: now + milliseconds };
      ends.add(end);
      return () => void ends.delete(end);
    },
  };
}
