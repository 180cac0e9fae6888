import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import type { CheckOptions } from "../../../tools/conformance/check.ts";
import { type Change, change, envelope, headers, method, page, replace, status, text } from "./changes.ts";

const NEVER = new Promise<Response>(() => {});

/** Adds newer records, by default one with every n-th request. */
const grow = (every: number, added: (page: string | null) => number = () => 1, missing = 60): Change => {
  let hidden = missing;
  return replace((records, request, page) => {
    if (request % every === 0) hidden = Math.max(0, hidden - added(page));
    return records.slice(hidden);
  });
};

/** Changes every n-th response. */
const sometimes = (every: number, alter: (response: Response) => Response): Change => {
  let requests = 0;
  return change((response) => (++requests % every === 0 ? alter(response) : response));
};

/** A body that ends with an error, as if the connection were cut. */
const cut = (response: Response) => {
  const body = new ReadableStream({
    pull: (controller) => controller.error(new TypeError("terminated")),
  });
  return new Response(body, response);
};

const shuffle = (fields: object) => Object.fromEntries(Object.entries(fields).reverse());

interface RightService {
  change?: Change;
  records?: number;
  options?: CheckOptions;
  /** Why the check ends early. */
  stopped?: unknown;
}

const CHANGES_FASTER = expect.stringMatching(/^The collection changes faster than/);

/** Services that keep all rules, and grow up to 200 records during the check. */
export const GROWING_SERVICES: Record<string, RightService> = {
  "with one record more after every 20th request": { change: grow(20) },
  "with one record more after every 20th request, and --pages 3": { change: grow(20), options: { pages: 3 } },
  "with 40 records more while page 3 is read": {
    change: grow(1, (page) => (page === "3" ? 40 : 0)),
  },
  "with many times as many records after page 1": {
    change: grow(1, (page) => (page === "2" ? 180 : 0), 180),
  },
  "with one record more after each request": { change: grow(1), stopped: CHANGES_FASTER },
  "with a page more after each request, and concurrent requests": {
    change: grow(1, () => 15, 190),
    options: { concurrency: 8 },
    stopped: CHANGES_FASTER,
  },
};

/** Services that keep all rules, although they differ from our own, which has 200 records. */
export const RIGHT_SERVICES: Record<string, RightService> = {
  "our own": {},
  "without records": { records: 0 },
  "with a full page": { records: 15 },
  "with a page and a record": { records: 16 },
  "that responds 500 to every fifth request": { change: sometimes(5, status(500)) },
  "that responds 429 to every third request": { change: sometimes(3, status(429, { "Retry-After": "0" })) },
  "that cuts every fourth body": { change: sometimes(4, cut) },
  "that is slow, with concurrent requests": {
    change: change((response) => setTimeout(2, response)),
    options: { concurrency: 4 },
  },
  "that never responds to POST": {
    change:
      ({ fetch }) =>
      (request) =>
        request.method === "POST" ? NEVER : fetch(request),
  },
  // A client gets the body without its encoding, but the header stays.
  "that compresses bodies": { change: page(headers({ "Content-Encoding": "gzip" })) },
  "with Vary: Accept, Origin": { change: page(headers({ Vary: "Accept, Origin" })) },
  "behind a proxy with a public origin": {
    change: text((body) => body.replaceAll("http://counts.example", "https://public.example/counts")),
    options: { baseUrl: "https://public.example/counts/api/tf1/records/" },
  },
  "with more headers, and lists in another order and case": {
    change: change(
      headers({ Allow: "OPTIONS, get, GET", Vary: "accept, Accept", Via: "1.1 x", ETag: '"1"' }),
    ),
  },
  "with Allow for pages and OPTIONS only": {
    change:
      ({ fetch }) =>
      async (request) => {
        const response = await fetch(request);
        return response.ok ? response : headers({ Allow: null })(response);
      },
  },
  "whose page 0 is page 1, and whose last page repeats without end": {
    change:
      ({ fetch }) =>
      (request) =>
        fetch(
          new Request(
            request.url.replace("page=0", "page=1").replace(/page=(1[5-9]|[2-9]\d)$/, "page=14"),
            request,
          ),
        ),
  },
  "with a text as next on the last page, and a link to page 0 as previous on page 1": {
    change: envelope((fields) => ({
      ...fields,
      next: fields.next ?? "none",
      previous: fields.previous ?? "http://counts.example/api/tf1/records/?format=api&page=0",
    })),
  },
  "with white space, escapes, more fields and another order of fields": {
    change: envelope((one) => ({
      pages: 14,
      ...shuffle({ ...one, results: one.results.map(shuffle), vans: 1.5 }),
    })),
  },
  "with ids and camera numbers that JavaScript cannot represent": {
    change: text((body) => body.replaceAll(/"(id|camera_pk)":/g, '"$1":900719925474099')),
  },
  "that refuses methods with 400, 403, 404 and 501": {
    change: change((response, { method }) => {
      const code = { POST: 400, PUT: 403, PATCH: 404, DELETE: 501 }[method];
      return code === undefined ? response : new Response("<h1>No</h1>", { status: code });
    }),
  },
  "with an empty response to OPTIONS": {
    change: method("OPTIONS", (response) => status(204)(response)),
  },
};
