import type { AppContext } from "../bindings.ts";
import { getStatusDetail } from "./statuses.ts";

/**
 * An error that the client gets: a status, headers, and the body `{"detail": message}`, as in Django REST Framework. Hono's own
 * `HTTPException` takes headers only as part of a whole response, and has no default message.
 */
export class HttpError extends Error {
  readonly status: number;
  /** Only those of this error, such as `Retry-After`. */
  readonly headers: Record<string, string>;

  /** @param options `detail` is the message for the client, by default the message of the status */
  constructor(status: number, options: { detail?: string; headers?: Record<string, string> } = {}) {
    super(options.detail ?? getStatusDetail(status));
    this.status = status;
    this.headers = options.headers ?? {};
  }
}

export class MethodNotAllowedError extends HttpError {
  /** @param allow The methods of the resource, for the header `Allow` */
  constructor(method: string, allow: string) {
    super(405, { detail: `Method "${method}" not allowed.`, headers: { Allow: allow } });
  }
}

/** The error for a failure of the service. The client does not learn why it failed. */
export class UnavailableError extends HttpError {
  constructor() {
    // In seconds: long enough not to add to an overload, and short enough for a client that waits.
    super(503, { headers: { "Retry-After": "5" } });
  }
}

/** Creates the handler of the last route of a path, which rejects the methods that no earlier route has. */
export function rejectOtherMethods(allow: string) {
  return ({ req }: AppContext): never => {
    throw new MethodNotAllowedError(req.method, allow);
  };
}

/** Formats the message of a 429, with the time until the client can retry. */
export function formatThrottling(seconds: number): string {
  return `Request was throttled. Expected available in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`;
}
