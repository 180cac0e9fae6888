import type { AppContext } from "../bindings.ts";
import { getStatusDetail } from "./statuses.ts";

/** The body of an error, as in Django REST Framework. */
interface ErrorBody {
  /** What went wrong. */
  detail: string;
  /** The days with records before and after one that has none. */
  nearest?: string[];
}

/**
 * An error that the client gets: a status, headers, and a body. Hono's own `HTTPException` takes headers only as part of a whole response,
 * and has no default message.
 */
export class HttpError extends Error {
  readonly status: number;
  /** Only those of this error, such as `Retry-After`. */
  readonly headers: Record<string, string>;
  readonly body: ErrorBody;

  /** @param options `detail` is the message for the client, by default the message of the status */
  constructor(status: number, options: Partial<ErrorBody> & { headers?: Record<string, string> } = {}) {
    const { detail = getStatusDetail(status), nearest, headers = {} } = options;
    super(detail);
    this.status = status;
    this.headers = headers;
    this.body = nearest === undefined ? { detail } : { detail, nearest };
  }
}

/** As in Django REST Framework, for a page past the end and for what is no page, such as `page=0`. */
export class InvalidPageError extends HttpError {
  constructor() {
    super(404, { detail: "Invalid page." });
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
