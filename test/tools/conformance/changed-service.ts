import { vi } from "vitest";
import type { TrafficRecord } from "../../../src/records/schema.ts";
import { type CheckOptions, type CheckReport, checkConformance } from "../../../tools/conformance/check.ts";
import { PATH } from "../../support/exchange.ts";
import { createMemoryService } from "../../support/memory-service.ts";
import { makeRecords } from "../../support/sample-records.ts";

// Our own service in this process, and changes that turn it into a different service.

export const ADDRESS = `http://counts.example${PATH}`;

type Fetch = (request: Request) => Promise<Response>;

interface OwnService {
  fetch: Fetch;
  /** The initial records, newest first. */
  records: TrafficRecord[];
  /** Replaces the records. The new records are newest first, too. */
  replace(records: TrafficRecord[]): void;
}

/** Returns the `fetch` of a changed service. */
export type Change = (service: OwnService) => Fetch;

/** Replaces the global `fetch` with our own service, or a change of it. */
export async function stubService(count: number, change?: Change): Promise<void> {
  const records = makeRecords(count);
  const service = await createMemoryService(records);
  const own: OwnService = {
    fetch: (request) => service.fetch(request.url, request),
    records: records.toReversed(),
    replace: (replacement) => service.load(replacement.toReversed()),
  };
  vi.stubGlobal("fetch", change?.(own) ?? own.fetch);
}

/** Checks a change of our own service. Returns the report, and the broken rules. */
export async function checkService(
  count: number,
  change?: Change,
  options?: CheckOptions,
): Promise<CheckReport & { failed: string[] }> {
  await stubService(count, change);
  const report = await checkConformance(ADDRESS, { secondMs: 2, writeMethods: true, ...options });
  const failed = report.rules.filter(({ failed }) => failed > 0).map(({ rule }) => rule);
  return { ...report, failed };
}

type Fields = Record<string, unknown>;
type Envelope = Fields & { results: Fields[] };

/** The query parameter `page` of a request, or null. */
export const getPageNumber = (request: Request) => new URL(request.url).searchParams.get("page");

type Alter = (response: Response, request: Request) => Response | Promise<Response>;

/** Changes the responses to all requests, or to those whose method and URL match. */
export const change =
  (alter: Alter, pattern = /^/): Change =>
  ({ fetch }) =>
  async (request) => {
    const response = await fetch(request);
    return pattern.test(`${request.method} ${request.url}`) ? alter(response, request) : response;
  };

/** Changes the pages that are served. */
export const page = (alter: Alter, pattern = /^GET/) =>
  change((response, request) => (response.status === 200 ? alter(response, request) : response), pattern);

export const body = (alter: (body: string) => string | Uint8Array<ArrayBuffer>, pattern?: RegExp) =>
  page(async (response) => new Response(alter(await response.text()), response), pattern);

export const envelope =
  (alter: (envelope: Envelope, number: number, records: Fields[]) => object, pattern?: RegExp): Change =>
  (service) =>
    page(async (response, request) => {
      const number = Number(getPageNumber(request) ?? 1);
      return Response.json(alter((await response.json()) as Envelope, number, service.records), response);
    }, pattern)(service);

export const count = (alter: (number: number, request: number) => unknown): Change => {
  let requests = 0;
  return envelope((fields, number) => ({ ...fields, count: alter(number, requests++) }));
};

export const link = (name: "next" | "previous", alter: (link: string, number: number) => unknown) =>
  envelope((fields, number) => ({
    ...fields,
    [name]: fields[name] === null ? null : alter(String(fields[name]), number),
  }));

/** Replaces the records of pages, with `size` records on each page. The next page starts `step` records later. */
export const list = (alter: (records: Fields[]) => Fields[], size = 15, step = 15) =>
  envelope((fields, number, records) => {
    const start = step * (number - 1);
    return { ...fields, results: alter(records).slice(start, start + size) };
  });

export const records = (alter: (record: Fields, index: number) => object) =>
  list((all) => all.map((one, index) => ({ ...alter(one, index) })));

/** Changes the record at an index. The default is a record on page 2. */
export const record = (fields: Fields, index = 17) =>
  records((one, at) => (at === index ? { ...one, ...fields } : one));

/** Changes the URL of each request. */
export const rewrite =
  (alter: (url: string) => string): Change =>
  ({ fetch }) =>
  (request) =>
    fetch(new Request(alter(request.url), request));

/** Replaces the records before each request. Request numbers start at 1. */
export const replace =
  (select: (records: TrafficRecord[], request: number, page: string | null) => TrafficRecord[]): Change =>
  ({ fetch, records, replace }) => {
    let requests = 0;
    return async (request) => {
      replace(select(records, ++requests, getPageNumber(request)));
      return fetch(request);
    };
  };

/** Adds a newer record, or a different number, with every n-th request, until all records are visible. */
export const grow = (every: number, added = (_page: string | null) => 1, missing = 60): Change => {
  let hidden = missing;
  return replace((records, request, page) => {
    if (request % every === 0) hidden = Math.max(0, hidden - added(page));
    return records.slice(hidden);
  });
};

export const status =
  (status: number, headers?: Record<string, string>) =>
  (response: Response): Response =>
    new Response(status === 204 ? null : response.body, {
      status,
      headers: { ...Object.fromEntries(response.headers), ...headers },
    });

/** Sets headers, or removes them if the value is null. */
export const headers = (values: Record<string, string | null>) => (response: Response) => {
  const changed = new Response(response.body, response);
  for (const [name, value] of Object.entries(values)) {
    if (value === null) changed.headers.delete(name);
    else changed.headers.set(name, value);
  }
  return changed;
};
