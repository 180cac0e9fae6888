import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { makeRecords } from "../../support/sample-records.ts";
import {
  ADDRESS,
  body,
  type Change,
  change,
  checkService,
  count,
  envelope,
  headers,
  link,
  list,
  page,
  record,
  records,
  replace,
  rewrite,
  status,
} from "./changed-service.ts";

const invalidPage = () => Response.json({ detail: "Invalid page." }, { status: 404 });

/** A page with a record that no other page has. */
const otherPage = () => respond({ results: [{ ...makeRecords(1)[0], id: -1 }] });

/** A page that is right but for some members or headers. */
const respond = (members: object, headers: Record<string, string> = {}) =>
  Response.json(
    { count: 100, next: null, previous: null, results: [], ...members },
    { headers: { Allow: "GET, OPTIONS", Vary: "Accept", ...headers } },
  );

const revalidated = (alter: (response: Response) => Response) =>
  change((response, request) => (request.headers.has("If-None-Match") ? alter(response) : response));

const WITHOUT_SLASH = /records\?/;
const WITHOUT_PAGE = /api$/;
const AFTER_LAST = /page=8$/;
const ALLOW_POST = headers({ Allow: "GET, POST, OPTIONS" });
let failures = 0;
const HTML = { "Content-Type": "text/html", Allow: "GET, OPTIONS", Vary: "Accept" };
const NO_COUNTS = { cars: 0, persons: 0, bicycles: 0, trucks: 0, motorcycles: 0, buses: 0 };

/** Services with one defect, by a rule that it breaks. Without the defect, they have 100 records on 7 pages. */
// biome-ignore format: a table of cases
const BROKEN_SERVICES: Record<string, Record<string, Change>> = {
  "List records.Path": {
    "the redirect to the slash loses the query": change(headers({ Location: "/api/tf1/records/" }), WITHOUT_SLASH),
    "the redirect to the slash has no target": change(headers({ Location: null }), WITHOUT_SLASH),
  },
  "List records.format": {
    "without a query, the response is page 2": rewrite((url) => url.replace(/records\/$/, "$&?page=2")),
    "format=json has other records": rewrite((url) => url.replace("json&page=1", "json&page=2")),
  },
  "RFC 9110.If-None-Match": {
    "the current ETag is ignored": ({ fetch }) => ({ url, method }) => fetch(new Request(url, { method })),
    "the current ETag gets the page with a weak ETag": revalidated((response) => respond({}, { ETag: `W/${response.headers.get("ETag")}` })),
    "the current ETag gets a page without ETag": revalidated(() => respond({})),
    "the current ETag gets 412": revalidated(status(412)),
  },
  "List records.Success status": {
    "page 1 redirects to itself": change(status(302, { Location: "?format=api&page=1" }), /page=1$/),
    "page 1 is always 500": change(status(500), /page=1$/),
    "page 2 is always 500": change(status(500), /page=2$/),
  },
  "List records.Content-Type": {
    "Content-Type has a charset": page(headers({ "Content-Type": "application/json; charset=utf-8" })),
    "page 0 is HTML": change(() => new Response("<!doctype html>", { headers: HTML }), /page=0$/),
    "pages are HTML": page(() => new Response("<!doctype html>", { headers: HTML })),
  },
  "List records.Response body": {
    "page 2 is cut": body((body) => body.slice(0, 500), /page=2$/),
    "page 2 is an array": body((body) => `[${body}]`, /page=2$/),
    "the page after the last is an array": change(() => Response.json([]), AFTER_LAST),
    "page 2 begins with a byte order mark": body((body) => `\uFEFF${body}`, /page=2$/),
    "page 2 is Latin-1": body((body) => Buffer.from(body.replace("a33", "\xE933"), "latin1"), /page=2$/),
  },
  "List records.Allow": {
    "pages have no Allow": page(headers({ Allow: null })),
    "OPTIONS advertises nothing": change(headers({ Allow: "" }), /^OPTIONS/),
    "OPTIONS advertises PUT": change(headers({ Allow: "GET, PUT, OPTIONS" }), /^OPTIONS/),
    "an error advertises DELETE": change(headers({ Allow: "GET, DELETE" }), /^PUT/),
    "a 404 advertises POST": change(ALLOW_POST, AFTER_LAST),
    "a 304 advertises POST": revalidated(ALLOW_POST),
    "a redirect advertises POST": change(ALLOW_POST, WITHOUT_SLASH),
    "a 503, and then a right page": change((response) => {
      failures += 1;
      return failures === 1 ? status(503, { Allow: "POST" })(response) : response;
    }, /page=2$/),
  },
  "List records.Vary": {
    "pages have no Vary": page(headers({ Vary: null })),
    "Vary does not include Accept": page(headers({ Vary: "Accept-Encoding, Cookie" })),
  },
  Options: {
    "OPTIONS has no Allow": change(headers({ Allow: null }), /^OPTIONS/),
    "OPTIONS is 405": change(status(405), /^OPTIONS/),
  },
  "Page envelope.results": {
    "results is an object": envelope((fields) => ({ ...fields, results: { ...fields.results } }), /page=2$/),
    "results of page 0 is a string": change(() => respond({ results: "none" }), /page=0$/),
  },
  "List records.page": {
    "without page, the response is the last page": rewrite((url) => url.replace(/api$/, "api&page=7")),
    "without page, the response is 400": change(status(400), WITHOUT_PAGE),
    "pages are numbered from 0": rewrite((url) => url.replace(/api(?:&page=(\d+))?$/, (_, number = "0") => `api&page=${Number(number) + 1}`)),
  },
  "List records 1": { "page 2 has 14 records": envelope((fields) => ({ ...fields, results: fields.results.slice(1) }), /page=2$/) },
  "Record.id": {
    "page is ignored": list((all) => all, 15, 0),
    "pages overlap by a record": list((all) => all, 15, 14),
    "an id is a string": record({ id: "7" }),
  },
  "Page envelope.count": {
    "count is a string": count(() => "100"),
    "count is one too small": count(() => 99),
    "count is 0": count(() => 0),
    "every page is empty": list(() => []),
    "page 2 is not found": change(invalidPage, /page=2$/),
    "count includes three more pages": count(() => 145),
  },
  "Page envelope.next": {
    "next points to the page itself": link("next", (_, number) => `?format=api&page=${number}`),
    "next is always null": link("next", () => null),
    "next is null without page": envelope((fields) => ({ ...fields, next: null }), WITHOUT_PAGE),
    "next has another host": link("next", (url) => url.replace("counts", "internal")),
  },
  "Page envelope.previous": {
    "previous points to page 1": link("previous", (url) => url.replace(/\d+$/, "1")),
    "previous is missing": link("previous", () => undefined),
  },
  "Record 1": {
    "a record has no buses": record({ buses: undefined }),
    "a record has only an id on page 0": change(() => respond({ results: [{ id: makeRecords(1)[0]?.id }] }), /page=0$/),
  },
  "Record.camera_pk": { "a camera_pk is null": record({ camera_pk: null }) },
  "Record.camera_ref": { "a camera_ref is blank": record({ camera_ref: " " }) },
  "Record.timestamp": {
    "a timestamp has an offset": record({ timestamp: "2025-05-17T02:00:00+00:00" }),
    "a timestamp does not exist": record({ timestamp: "2025-02-30T02:00:00Z" }),
    "every timestamp has milliseconds": body((body) => body.replaceAll(/(:\d\d)Z/g, "$1.000Z")),
  },
  "Record.cars": { "cars is null": record({ cars: null }) },
  "Record.persons": { "persons is negative": record({ persons: -1 }) },
  "Record.bicycles": { "bicycles is a string": record({ bicycles: "3" }) },
  "Record.trucks": { "trucks is 1.5": record({ trucks: 1.5 }) },
  "Record.motorcycles": { "motorcycles is true": record({ motorcycles: true }) },
  "Record.buses": { "buses is an object": record({ buses: {} }) },
  "Record.camera_ok": {
    "camera_ok is a boolean": record({ camera_ok: true }),
    "camera_ok is False, but cars are counted": record({ ...NO_COUNTS, camera_ok: "False", cars: 4 }),
    "so, and the model is another": record({ ...NO_COUNTS, camera_ok: "False", cars: 4, model_name: "b" }),
  },
  "Record.model_name": { "model_name is TF1": records((one) => ({ ...one, model_name: "TF1" })) },
  States: { "a record has a state": record({ state: "new" }) },
  "Record 4": { "a camera has a new name": records((one, at) => ({ ...one, camera_ref: `${one.camera_ref}${at > 50}` })) },
  "Record 2": { "a camera has two records with one timestamp": list((all) => all.with(17, { ...all[16], id: 999 })) },
  "List records 2": {
    "the oldest records come first": list((all) => all.toReversed()),
    "two records of one hour are swapped, on two pages": list((all) => all.with(14, all[16]!).with(16, all[14]!)),
    "an older record is added at the beginning": replace((all, request) =>
      request < 3 ? all : [{ ...all[99]!, id: 9_000, timestamp: "2018-01-01T00:00:00Z" }, ...all],
    ),
  },
  "List records 4": {
    "camera_ok is null in recent records": records((one, at) => (at < 8 ? { ...one, camera_ok: null } : one)),
    "camera_ok is True in the oldest record": record({ camera_ok: "True" }, 99),
  },
  "List records 5": {
    "page 2 has another count": envelope((fields, number) => ({ ...fields, count: number === 2 ? 101 : 100 })),
    "the page without a number has another count": envelope((fields) => ({ ...fields, count: 99 }), WITHOUT_PAGE),
  },
  "Record 5": {
    "POST is 201": change(status(201), /^POST/),
    "DELETE redirects": change(status(303, { Location: "/" }), /^DELETE/),
  },
};

describe.each(Object.entries(BROKEN_SERVICES))("%s is broken if", (rule, services) => {
  test.each(Object.entries(services))("%s", async (_, change) => {
    const { failed, stopped } = await checkService(100, change);
    expect(stopped).toBe(null);
    expect(failed).toContain(rule);
  });
});

// biome-ignore format: a table of cases
test.each<[string, Change, string, object]>([
  ["page 2 has no count", envelope(({ count: _, ...fields }) => fields, /page=2$/), "Page envelope.count",
    { asked: `${ADDRESS}?format=api&page=2`, received: "missing" }],
  ["page 0 has other records", change(otherPage, /page=0$/), "List records.page",
    { asked: `${ADDRESS}?format=api&page=0`, received: "other records" }],
  ["the page after the last has other records", change(otherPage, AFTER_LAST), "Page envelope.count",
    { asked: `${ADDRESS}?format=api&page=8`, received: "other records" }],
  ["pages have 20 records", list((all) => all, 20, 20), "List records 1",
    { asked: `${ADDRESS}?format=api&page=1`, received: "20 records, and count is 100" }],
  ["next is relative", link("next", () => "?page=2"), "Page envelope.next",
    { expected: `${ADDRESS}?format=api&page=2`, received: '"?page=2"' }],
])("if %s, only one rule is broken, and the report shows where", async (_, change, rule, deviation) => {
  const { failed, rules } = await checkService(100, change);
  expect(failed).toEqual([rule]);
  expect(rules.find((one) => one.rule === rule)?.deviations[0]).toMatchObject(deviation);
});

test.each([{ camera_ref: null }, { timestamp: "2025-02-29T02:00:00Z" }])(
  "if a record has %j, the first broken rule is about this field",
  async (fields) => {
    const { failed } = await checkService(100, record(fields));
    expect(failed[0]).toBe(`Record.${Object.keys(fields)[0]}`);
  },
);

test("if each page has another count than page 1, page 1 is read again twice, and twice at the end", async () => {
  const service = envelope((fields, number) => ({ ...fields, count: number === 1 ? 100 : 101 }));
  const { rules } = await checkService(100, service);
  // Each of 7 pages, page 1 in four other ways, and page 1 four times again.
  expect(rules.find(({ rule }) => rule === "List records.Vary")).toMatchObject({ checked: 15 });
});

test("each rule is broken by a service, and described in docs/specification.md", async () => {
  const { rules } = await checkService(100);
  expect(Object.keys(BROKEN_SERVICES).toSorted()).toEqual(rules.map(({ rule }) => rule).toSorted());
  const documented = readFileSync("docs/specification.md", "utf8").matchAll(/`([A-Z][^`]+)`/g);
  const names = Array.from(documented, ([, name]) => name);
  expect(names).toEqual(expect.arrayContaining(rules.map(({ rule }) => rule)));
});
