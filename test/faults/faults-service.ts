import { vi } from "vitest";
import { type Exchange, PATH } from "../support/exchange.ts";
import { createMemoryService } from "../support/memory-service.ts";
import { makeRecords } from "../support/sample-records.ts";

export const LAST_PAGE = 27;

export const getTarget = (page: number | string) => `${PATH}?format=api&page=${page}`;
export const PAGE_2 = getTarget(2);

/** Creates a service with 400 records. */
export const createFaultsService = (settings = {}) => createMemoryService(makeRecords(400), { settings });

export const { fetch } = await createFaultsService();

/** Sets the clock of the service to a time after the beginning of 2030. */
export function setTime(milliseconds: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2030, 0, 1) + milliseconds });
}

/** A request with the header `Prefer`, and the expected response. */
export function prefer(Prefer: string, request = PAGE_2, expected: Partial<Exchange> = {}): Exchange {
  return { ...expected, request, requestHeaders: { Prefer, ...expected.requestHeaders } };
}

/** A request to page 2, if it names no other. */
export interface SentRequest {
  /** The number of a page, perhaps with a method before it and parameters after it, such as `HEAD 2&run=a`. */
  page?: number | string;
  prefer?: string;
  client?: string;
  /** The time of the service, as for `setTime`. */
  at?: number;
}

/**
 * Sends requests to a new service, one after the other.
 * @param prefer The options of the requests that have none of their own
 * @param requests A number or a text is the page of a request
 */
export async function sendAll(
  prefer: string,
  requests: (SentRequest | number | string)[],
): Promise<Response[]> {
  const { fetch } = await createFaultsService();
  const responses: Response[] = [];
  for (const request of requests) {
    const sent: SentRequest = typeof request === "object" ? request : { page: request };
    const [page = "", method = "GET"] = String(sent.page ?? 2)
      .split(" ")
      .reverse();
    const headers = new Headers({ prefer: sent.prefer ?? prefer });
    if (sent.client !== undefined) headers.set("CF-Connecting-IP", sent.client);
    if (sent.at !== undefined) setTime(sent.at);
    responses.push(await fetch(getTarget(page), { method, headers }));
  }
  return responses;
}

export async function getStatuses(...sent: Parameters<typeof sendAll>): Promise<number[]> {
  return (await sendAll(...sent)).map(({ status }) => status);
}
