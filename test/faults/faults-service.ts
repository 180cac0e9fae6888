import { vi } from "vitest";
import type { Page } from "../../src/records/schema.ts";
import { type Exchange, PATH } from "../support/exchange.ts";
import { createMemoryService } from "../support/memory-service.ts";
import { makeRecords } from "../support/sample-records.ts";

/** The number of records in the service. */
export const COUNT = 400;
export const LAST_PAGE = 27;

export const getTarget = (page: number | string) => `${PATH}?format=api&page=${page}`;
export const PAGE_2 = getTarget(2);

/** Creates a service with 400 records. */
export const createFaultsService = (settings = {}) => createMemoryService(makeRecords(COUNT), { settings });

export const { fetch } = await createFaultsService();

/** Sets the clock of the service to a time after the beginning of 2030. */
export function setTime(milliseconds: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2030, 0, 1) + milliseconds });
}

/** A request with the header `Prefer`, and the expected response. */
export function prefer(Prefer: string, request = PAGE_2, expected: Partial<Exchange> = {}): Exchange {
  return { ...expected, request, requestHeaders: { Prefer, ...expected.requestHeaders } };
}

export async function fetchPage(text: string, target = PAGE_2): Promise<Page> {
  return Object(await (await fetch(target, { headers: { Prefer: text } })).json());
}

/**
 * Sends requests to a new service, one after the other.
 * @param pages The page of each request, perhaps with a method before it and parameters after it, such as `HEAD 2&run=a`
 */
export async function sendAll(prefer: string, pages: (string | number)[]): Promise<Response[]> {
  const { fetch } = await createFaultsService();
  const headers = new Headers(prefer === "" ? {} : { prefer });
  const responses: Response[] = [];
  for (const text of pages) {
    const [page = "", method = "GET"] = String(text).split(" ").reverse();
    responses.push(await fetch(getTarget(page), { method, headers }));
  }
  return responses;
}

export async function getStatuses(prefer: string, pages: (string | number)[]): Promise<number[]> {
  return (await sendAll(prefer, pages)).map(({ status }) => status);
}
