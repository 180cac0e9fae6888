import { isSentInParts } from "../../src/faults/body-faults.ts";
import type { OptionValues } from "../../src/faults/option-table.ts";
import type { HttpError } from "../../src/http/errors.ts";

/** A client that is connected by a network. */
export interface Client {
  address: string | undefined;
  /** Called when its response begins to wait for a fault. */
  onWait(): void;
}

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
