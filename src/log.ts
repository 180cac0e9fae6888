/** The longest reason that is logged, in characters: a broken value in a store can be very long. */
const MAX_REASON_LENGTH = 500;

/** How many stack frames are logged, beginning where the error was thrown. */
const MAX_STACK_FRAMES = 8;

/** The fields of a line in the log, without the reason. None of them comes from a client. */
export interface LogFields {
  /** What happened, to filter by. */
  event: "request_failed" | "stale_served" | "rate_limiter_failed";
  /** The setting `STORE`, if it is set. */
  store?: string | undefined;
  method?: string;
  /** The path of the route, without query; `*` if no route matches. */
  path?: string;
  status?: number;
}

/**
 * Logs a failure as one line of JSON, which the platform's tools can search by field. The line says what failed and why,
 * but not who sent the request or what was in its query.
 */
export function logFailure(fields: LogFields, error: unknown): void {
  console.error(JSON.stringify({ ...fields, reason: formatReason(error), at: getStackFrames(error) }));
}

/** The error and its cause. */
function formatReason(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? ` (${error.cause})` : "";
  const reason = String(error) + cause;
  return reason.length > MAX_REASON_LENGTH ? `${reason.slice(0, MAX_REASON_LENGTH)}...` : reason;
}

/** The frames of the stack, without the message, which is part of the reason. */
function getStackFrames(error: unknown): string[] {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const frames = [...stack.matchAll(/^ {4}at (.+)$/gm)].map(([, frame = ""]) => frame);
  return frames.slice(0, MAX_STACK_FRAMES);
}
