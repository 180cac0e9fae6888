import type { AppliedOptions } from "../../src/faults/applied-options.ts";
import { isSentInParts } from "../../src/faults/body-faults.ts";
import { formatOptions, type OptionValues } from "../../src/faults/option-table.ts";
import { HttpError } from "../../src/http/errors.ts";
import type { ReceivedRequest } from "./index.d.ts";

/** A client that is connected by a network. */
export interface Client {
  address: string | undefined;
  /** Called when its response begins to wait for a fault. */
  onWait(): void;
}

/** The service without a network. */
export type App = (
  request: Request,
  client: Partial<Client> & {
    /** Called when the fault options of a request are known, before a wait, and again with those that affected the response. */
    onApplied(applied: AppliedOptions): void;
  },
) => Promise<Response>;

/** What a client gets. The connection is closed by a fault, or by the client. */
type Reply =
  | { kind: "closed" }
  | {
      kind: "response";
      response: Response;
      /** Whether the connection can close before the end of the body. */
      canBreakOff: boolean;
    };

/** Responds to the request of a client, which is undefined in this process. */
export type Respond = (request: Request, client?: Client) => Promise<Reply>;

interface RequestListeners {
  /** Notes a request before its response. Undefined if nobody reads the notes. */
  receive: ((request: Request) => ReceivedRequest) | undefined;
  onResponse: ((received: ReceivedRequest) => void) | undefined;
}

/** Creates a function that responds as a server does. It rejects if the service has a bug, or misses a file. */
export function createResponder(app: App, { receive, onResponse }: RequestListeners): Respond {
  return async (request, client) => {
    if (!isValidUrl(request.url)) return toReply(createErrorResponse(new HttpError(400)));
    const received = receive?.(request);
    const applied: Pick<AppliedOptions, "options" | "isClosed"> = { options: {} };
    const onApplied = (noted: AppliedOptions) => {
      Object.assign(applied, noted);
      const { options, changes, warnings } = noted;
      if (received) Object.assign(received, { applied: formatOptions(options), changes, warnings });
    };
    try {
      const response = await app(request, { ...client, onApplied });
      if (applied.isClosed) return { kind: "closed" };
      if (received) received.status = response.status;
      return toReply(response, applied.options);
    } finally {
      if (received) onResponse?.(received);
    }
  };
}

export function toReply(response: Response, { body }: OptionValues = {}): Reply {
  const canBreakOff = isSentInParts(body);
  // It is set for `wrangler dev` only.
  if (canBreakOff) response.headers.delete("Content-Encoding");
  return { kind: "response", response, canBreakOff };
}

/** Creates the response to a request that does not reach the app. */
export function createErrorResponse({ message, status, headers }: HttpError, added = {}): Response {
  return Response.json({ detail: message }, { status, headers: { ...headers, ...added } });
}

/**
 * Whether the service accepts the URL of a request. The host may contain only the characters of a name, an address and a port, because links
 * and shell commands repeat the host. So a URL has no credentials, which are an error (RFC 9110, 4.2.4).
 */
function isValidUrl(url: string): boolean {
  return /^https?:\/\/[\w.:[\]-]+\//.test(url) && URL.canParse(url);
}
