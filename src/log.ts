/** Characters of a reason that are kept: a broken value in a store can be very long. */
const LONGEST_REASON = 500;

/** Places in the code that a line names, beginning where the error was thrown. */
const MOST_FRAMES = 8;

/** What a line says besides the reason; nothing that came from a client. */
export interface Facts {
  /** What happened, for a filter to find. */
  event: "request_failed" | "kept_served" | "rate_limit_failed";
  /** The setting `STORE`, if it has a value. */
  store?: string | undefined;
  method?: string;
  /** The path as the routes write it, `*` where there is none; no query. */
  path?: string;
  status?: number;
}

/**
 * Writes one line of JSON to the log, which the platform's tools read field by field. Says what failed inside and why;
 * who asked, and for what in its query, stays out of it.
 */
export function logFailure(facts: Facts, error: unknown): void {
  console.error(JSON.stringify({ ...facts, reason: writeReason(error), at: listFrames(error) }));
}

/** The error and what caused it. */
function writeReason(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? ` (${error.cause})` : "";
  const reason = String(error) + cause;
  return reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}...` : reason;
}

/** The lines of the stack without the message, which stands in the reason. */
function listFrames(error: unknown): string[] {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const frames = [...stack.matchAll(/^ {4}at (.+)$/gm)].map(([, frame = ""]) => frame);
  return frames.slice(0, MOST_FRAMES);
}
