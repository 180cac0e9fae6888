import { escapeInvisible } from "./escape.ts";

/** A longer reason is cut, because a message can quote a damaged value. */
const MAX_REASON_LENGTH = 500;

/** Starting where the error was thrown. */
const MAX_STACK_FRAMES = 8;

/** The fields of a log line, without the reason. Only the method comes from a client. */
interface LogFields {
  event: "request_failed" | "stale_served" | "rate_limiter_failed";
  /** The setting `STORE`, or `seed` for the sample data. */
  store?: string | undefined;
  method?: string;
  /** The path of the route, without query; `*` if no route matches. */
  path?: string;
  status?: number;
}

/** Logs a failure as one line of JSON, so that operators can search by field. The line contains no client address and no query. */
export function logFailure(fields: LogFields, error: unknown): void {
  const line = JSON.stringify({ ...fields, reason: formatReason(error), at: getStackFrames(error) });
  // A reason can quote a damaged value, which may contain control characters of terminals.
  console.error(escapeInvisible(line));
}

function formatReason(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? ` (${error.cause})` : "";
  const reason = String(error) + cause;
  return reason.length > MAX_REASON_LENGTH ? `${reason.slice(0, MAX_REASON_LENGTH)}...` : reason;
}

/** Without the message, which the reason already contains. */
function getStackFrames(error: unknown): string[] {
  const stack = error instanceof Error ? error.stack : undefined;
  return stack?.match(/(?<=^ {4}at ).+$/gm)?.slice(0, MAX_STACK_FRAMES) ?? [];
}
