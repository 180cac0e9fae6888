import { describe, expect, test, vi } from "vitest";
import { type CheckOptions, MAX_PAGES } from "../../../tools/conformance/check.ts";
import {
  type Change,
  change,
  checkService,
  count,
  envelope,
  grow,
  headers,
  records,
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
  if (response.body === null) return response;
  const error = new TypeError("terminated");
  return new Response(new ReadableStream({ pull: (controller) => controller.error(error) }), response);
};

const sortByTimestamp = (records: { timestamp?: unknown }[]) =>
  records.toSorted((one, other) => String(other.timestamp).localeCompare(String(one.timestamp)));

const shuffle = (fields: object) => Object.fromEntries(Object.entries(fields).reverse());

/** Services that follow all rules, although they differ from our own service with 200 records. */
// biome-ignore format: a table of cases
const CONFORMING_SERVICES: Record<string, Change | [Change, CheckOptions]> = {
  "that grows by a record with every 20th request": grow(20),
  "that grows by a record with every 20th request, and --pages 3": [grow(20), { pages: 3 }],
  "that grows by 60 records while page 3 is read": grow(1, (page) => (page === "3" ? 60 : 0)),
  "that grows by a record before the request without page": grow(1, (page) => (page === null ? 1 : 0), 1),
  "that has ten times as many records after page 1": grow(1, (page) => (page === "2" ? 180 : 0), 180),
  "whose servers get a new record at different times": replace((all, request) => all.slice(request === 2 ? 1 : 0)),
  "that responds 500 to every fifth request": sometimes(5, status(500)),
  "that responds 429 to every third request": sometimes(3, status(429, { "Retry-After": "0" })),
  "that cuts every fourth body": sometimes(4, cut),
  // A client receives the decoded body, but the header stays.
  "that compresses bodies": change(headers({ "Content-Encoding": "gzip" })),
  "with more headers, and lists in a different order and case": change(
    headers({ Allow: "OPTIONS, get, GET", Vary: "Origin, accept, Accept", Via: "1.1 x", ETag: null }),
  ),
  "with Allow for pages and OPTIONS only": change((response) => response.ok ? response : headers({ Allow: null })(response)),
  "whose page 0 is page 1, and whose last page repeats endlessly": rewrite((url) =>
    url.replace("page=0", "page=1").replace(/page=(1[5-9]|[2-9]\d)$/, "page=14"),
  ),
  "with a string as next on the last page, and a link to page 0 as previous on page 1": envelope((fields) => ({
    ...fields, next: fields.next ?? "none", previous: fields.previous ?? "http://counts.example/api/tf1/records/?format=api&page=0",
  })),
  "with additional fields, in a different order": envelope((one) =>
    ({ pages: 14, ...shuffle({ ...one, results: one.results.map(shuffle), vans: 1.5 }) })),
  "that rejects methods with 400, 403, 404 and 501": change((response, { method }) => {
    const code = { POST: 400, PUT: 403, PATCH: 404, DELETE: 501 }[method];
    return code === undefined ? response : new Response("<h1>No</h1>", { status: code });
  }),
  "that has no page at the path without its slash": change((response) => status(404)(headers({ Location: null })(response)), /records\?/),
  "that rejects requests without format, and with format=json": change(status(400), /^GET .*\/(\?page=1|\?format=json.*)?$/),
  "with an empty response to OPTIONS": change(status(204), /^OPTIONS/),
  "whose records with the same timestamp change places with each request": envelope((fields) =>
    ({ ...fields, results: requests++ % 2 === 0 ? fields.results : sortByTimestamp(fields.results.toReversed()) })),
};

/** Services that never stop changing. Nothing is wrong, but the check cannot be completed. */
// biome-ignore format: a table of cases
const CHANGING_SERVICES: Record<string, Change> = {
  "a record is added with each request": grow(1),
  "count rises with each request": count((_, request) => 200 + request),
  "the newest record is removed with each request": replace((all, request) => all.slice(request)),
  "two servers with different snapshots take turns": replace((all, request) => all.slice(request % 2)),
  "the collection is replaced by one of the same size with each request": records((one) => ({ ...one, id: 1_000 * Number(one.id) + requests++ })),
};
let requests = 0;

test.each(Object.entries(CHANGING_SERVICES))("the check is incomplete if %s", async (_, change) => {
  const { failed, stopped } = await checkService(200, change);
  expect(failed).toEqual([]);
  expect(stopped).toMatch(/page 1 has changed/);
});

test("a method that gets no response, or 500, breaks no rule", async () => {
  const fail = change((response, { method }) => {
    if (["GET", "OPTIONS"].includes(method)) return response;
    return method === "PUT" ? status(500)(response) : new Promise<Response>(() => {});
  });
  const { failed, stopped, rules } = await checkService(200, fail);
  expect([failed, stopped]).toEqual([[], null]);
  expect(rules.find(({ rule }) => rule === "Record 5")).toMatchObject({ checked: 0 });
});

test.each([
  { options: {}, total: 14 },
  { options: { pages: 1 }, total: 3 },
  { options: { pages: 2 }, total: 4 },
  { options: { pages: 13 }, total: 14 },
])("with $options, the progress shows how many of $total pages were read", async ({ options, total }) => {
  const steps: unknown[] = [];
  const onPage = (...step: number[]) => steps.push(step);
  await checkService(200, undefined, { ...options, onPage });
  expect(steps).toEqual(Array.from({ length: total }, (_, index) => [index + 1, total]));
});

test.each([
  [MAX_PAGES, MAX_PAGES],
  [MAX_PAGES + 3, MAX_PAGES + 2],
  [Number.MAX_SAFE_INTEGER / 16, MAX_PAGES + 2],
])("of %i pages, %i are read", async (pages, total) => {
  const onPage = vi.fn(() => {
    throw new Error("That is enough.");
  });
  const service = count(() => Math.floor(15 * pages));
  await checkService(15, service, { onPage });
  expect(onPage).toHaveBeenCalledExactlyOnceWith(1, total);
});

test("a bug of the checker ends the check with a stack that shows where", async () => {
  const onPage = () => {
    throw new TypeError("a bug");
  };
  const { stopped } = await checkService(200, undefined, { onPage });
  expect(stopped).toMatch(/^TypeError: a bug\n {4}at onPage /);
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
