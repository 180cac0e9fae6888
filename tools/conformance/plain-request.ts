import { type HttpClient, requireFinalStatus } from "../http-client/client.ts";
import type { HttpRequest } from "../http-client/messages.ts";
import { decodeBody } from "../http-client/request.ts";
import { HEADERS, readFailure } from "./collection-reader.ts";
import type { ResponseEvent } from "./events.ts";
import type { Walk } from "./walked-page.ts";

export interface ExtraRequests {
  client: HttpClient;
  /** The walk, after it has ended. */
  walk: Walk;
  /** Send no request that would write. */
  readOnly: boolean;
}

/** Statuses of a proxy or a rate limit. Any other status is the response of the service to the method. */
const RETRIED_STATUSES = new Set([429, 502, 503, 504]);

/** Sends a request whose response may have any status, even in every attempt. */
export async function sendPlain(
  client: HttpClient,
  { url, method = "GET", headers, ...rest }: HttpRequest,
): Promise<ResponseEvent> {
  const request = { url, method, maxRedirects: 0, headers: { ...HEADERS, ...headers }, ...rest };
  try {
    const response = await client.send(request, (response) => {
      if (RETRIED_STATUSES.has(response.status)) requireFinalStatus(response, Date.now());
      return response;
    });
    const { status, headers, body } = response;
    return { url, subject: method, status, headers, body: decodeBody(body) ?? "" };
  } catch (error) {
    const failed = readFailure(error);
    if (failed === undefined) throw error;
    const { failure, response } = failed;
    const { status = 0, headers = new Headers() } = response ?? {};
    return {
      url,
      subject: method,
      status,
      headers,
      body: "",
      failure: failure.message.replace(`${url} `, ""),
    };
  }
}
