import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { CheckOptions } from "../../../tools/conformance/walk.ts";
import {
  type Change,
  change,
  checkService,
  envelope,
  grow,
  headers,
  method,
  replace,
  rewrite,
  status,
} from "./changed-service.ts";

/** Changes every n-th response. */
const sometimes = (every: number, alter: (response: Response) => Response): Change => {
  let requests = 0;
  return change((response) => (++requests % every === 0 ? alter(response) : response));
};

/** A body that ends with an error, as on a cut connection. */
const cut = (response: Response) => {
  const error = new TypeError("terminated");
  return new Response(new ReadableStream({ pull: (controller) => controller.error(error) }), response);
};

const shuffle = (fields: object) => Object.fromEntries(Object.entries(fields).reverse());

/** Services that follow all rules, although they differ from our own service with 200 records. */
const CONFORMING_SERVICES: Record<string, Change | [Change, CheckOptions]> = {
  "that grows by a record with every 20th request": grow(20),
  "that grows by a record with every 20th request, and --pages 3": [grow(20), { pages: 3 }],
  "that grows by 60 records while page 3 is read": grow(1, (page) => (page === "3" ? 60 : 0)),
  "that has ten times as many records after page 1": grow(1, (page) => (page === "2" ? 180 : 0), 180),
  "whose servers get a new record at different times": replace((all, request) =>
    all.slice(request === 2 ? 1 : 0),
  ),
  "whose servers get a new record at different times, during the writes": replace((all, request) =>
    all.slice(request === 21 ? 1 : 0),
  ),
  "that responds 500 to every fifth request": sometimes(5, status(500)),
  "that responds 429 to every third request": sometimes(3, status(429, { "Retry-After": "0" })),
  "that cuts every fourth body": sometimes(4, cut),
  "that is slow, with concurrent requests": [
    change((response) => setTimeout(2, response)),
    { concurrency: 4 },
  ],
  // A client receives the decoded body, but the header stays.
  "that compresses bodies": change(headers({ "Content-Encoding": "gzip" })),
  "with more headers, and lists in a different order and case": change(
    headers({ Allow: "OPTIONS, get, GET", Vary: "Origin, accept, Accept", Via: "1.1 x", ETag: '"1"' }),
  ),
  "with Allow for pages and OPTIONS only": change((response) =>
    response.ok ? response : headers({ Allow: null })(response),
  ),
  "whose page 0 is page 1, and whose last page repeats endlessly": rewrite((url) =>
    url.replace("page=0", "page=1").replace(/page=(1[5-9]|[2-9]\d)$/, "page=14"),
  ),
  "with a string as next on the last page, and a link to page 0 as previous on page 1": envelope(
    (fields) => ({
      ...fields,
      next: fields.next ?? "none",
      previous: fields.previous ?? "http://counts.example/api/tf1/records/?format=api&page=0",
    }),
  ),
  "with additional fields, in a different order": envelope((one) => ({
    pages: 14,
    ...shuffle({ ...one, results: one.results.map(shuffle), vans: 1.5 }),
  })),
  "that rejects methods with 400, 403, 404 and 501": change((response, { method }) => {
    const code = { POST: 400, PUT: 403, PATCH: 404, DELETE: 501 }[method];
    return code === undefined ? response : new Response("<h1>No</h1>", { status: code });
  }),
  "with an empty response to OPTIONS": method("OPTIONS", (response) => status(204)(response)),
};

test("Record 5 is untested if write requests get no response", async () => {
  const hang = change((response, { method }) =>
    ["GET", "OPTIONS"].includes(method) ? response : new Promise<Response>(() => {}),
  );
  const { failed, stopped, rules } = await checkService(200, hang);
  expect([failed, stopped]).toEqual([[], null]);
  expect(rules.find(({ rule }) => rule === "Record 5")).toMatchObject({ verdict: "untested", passed: 0 });
});

describe("no rule is broken by a service", () => {
  test.each([0, 1, 15, 16, 200])("with %i records", async (count) => {
    expect(await checkService(count)).toMatchObject({ failed: [], stopped: null, records: count });
  });

  test.each(Object.entries(CONFORMING_SERVICES))("%s", async (_, service) => {
    const [change, options] = [service].flat() as [Change, CheckOptions?];
    const { failed, stopped, records, count } = await checkService(200, change, options);
    expect([failed, stopped]).toEqual([[], null]);
    if (!options?.pages) expect(records).toBe(count);
  });
});
