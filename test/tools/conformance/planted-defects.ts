import { gzipSync } from "node:zlib";
import {
  at,
  change,
  changeCount,
  changeHeaders,
  changeLinks,
  changeReply,
  RECORDS,
} from "./broken-service.ts";
import { makeCollection, makeEnvelope, PATH, type Reply, service } from "./fake-service.ts";

/** A defect, the rules that the report may name for it (exactly one of them), and a function that adds the defect. */
export type Defect = [name: string, rules: string[], apply: () => void];

type Fields = Record<string, unknown>;

const COUNTS = ["cars", "persons", "bicycles", "trucks", "motorcycles", "buses"];
const INTEGERS = ["id", "camera_pk", ...COUNTS];
const STRINGS = ["camera_ref", "timestamp", "model_name"];

const changeAll = (alter: (record: Fields, index: number) => object) => () => {
  service.records = RECORDS.map((record, index) => alter({ ...record }, index));
};
const drop = (name: string) => (record: Fields) => {
  const { [name]: _, ...rest } = record;
  return rest;
};
const envelope = (alter: (fields: Fields, number: number) => object) => () => {
  service.envelope = (fields, number) => alter(fields, number) as Fields;
};
const onPage = (page: string, alter: (reply: Reply) => Partial<Reply>) => () => changeReply(page, alter);
const onPages = (alter: (reply: Reply) => Partial<Reply>) => () => {
  service.reply = (reply, { method, page }) =>
    method === "GET" && page !== "0" && reply.status === 200 ? { ...reply, ...alter(reply) } : reply;
};
const link = (name: string, alter: (link: string) => unknown) => () =>
  changeLinks((text, field) => (field === name ? alter(text) : text));
const movePage = (by: number) => (text: string) =>
  text.replace(/page=(\d+)/, (_, page) => `page=${Number(page) + by}`);

/** The sections "Record" and "Page envelope". */
export const CONTENT: Defect[] = [
  ...[...INTEGERS, ...STRINGS, "camera_ok"].flatMap((name): Defect[] => [
    [
      `one record has no ${name}`,
      ["Record 1"],
      () => Object.assign(service, { records: RECORDS.with(7, drop(name)({ ...at(7) }) as never) }),
    ],
    [`no record has ${name}`, ["Record 1"], changeAll(drop(name))],
  ]),
  ...[...INTEGERS, ...STRINGS].map(
    (name): Defect => [`${name} is null`, [`Record.${name}`], () => change({ [name]: null })],
  ),
  ...INTEGERS.flatMap((name): Defect[] => [
    [`${name} is a string`, [`Record.${name}`], () => change({ [name]: String(Object(at(17))[name]) })],
    [`${name} is a fraction`, [`Record.${name}`], () => change({ [name]: 1.5 })],
    [
      `every ${name} is a string`,
      [`Record.${name}`],
      changeAll((record) => ({ ...record, [name]: String(record[name]) })),
    ],
  ]),
  ...COUNTS.flatMap((name): Defect[] => [
    [`${name} is negative`, [`Record.${name}`], () => change({ [name]: -1 })],
    [`${name} is true`, [`Record.${name}`], () => change({ [name]: true })],
    [
      `camera_ok is False, but ${name} is not 0`,
      ["Record.camera_ok"],
      () => change({ camera_ok: "False", ...Object.fromEntries(COUNTS.map((one) => [one, 0])), [name]: 2 }),
    ],
  ]),
  ...STRINGS.map((name): Defect => [`${name} is a number`, [`Record.${name}`], () => change({ [name]: 7 })]),
  ...[true, false, "true", "", "ok", 1, {}].map(
    (value): Defect => [
      `camera_ok is ${JSON.stringify(value)}`,
      ["Record.camera_ok"],
      () => change({ camera_ok: value }),
    ],
  ),
  ...[
    "2025-05-17 02:00:00Z",
    "2025-05-17T02:00Z",
    "2025-05-17T02:00:00.5Z",
    "2025-05-17T02:00:00+01:00",
    "2025-13-01T00:00:00Z",
    "2025-05-17T24:30:00Z",
    "1747447200",
    "17.05.2025",
    "2025-05-17T02:00:00z",
  ].map(
    (timestamp): Defect => [`a timestamp is ${timestamp}`, ["Record.timestamp"], () => change({ timestamp })],
  ),
  [
    "every timestamp has an offset",
    ["Record.timestamp"],
    changeAll((record) => ({ ...record, timestamp: String(record.timestamp).replace("Z", "+00:00") })),
  ],
  ["model_name is TF1", ["Record.model_name"], changeAll((record) => ({ ...record, model_name: "TF1" }))],
  ["all ids are 1", ["Record.id"], changeAll((record) => ({ ...record, id: 1 }))],
  [
    "ids begin again on each page",
    ["Record.id"],
    changeAll((record, index) => ({ ...record, id: index % 15 })),
  ],
  [
    "the last record of each page is repeated on the next",
    ["Record.id", "List records.page"],
    envelope((fields, number) => ({
      ...fields,
      results: service.records.slice(14 * (number - 1), 14 * (number - 1) + 15),
    })),
  ],
  [
    "a camera has a new name in half of its records",
    ["Record 4"],
    changeAll((record, index) => (index < 20 ? record : { ...record, camera_ref: `${record.camera_ref}b` })),
  ],
  ["all cameras have one camera_pk", ["Record 4"], changeAll((record) => ({ ...record, camera_pk: 1 }))],
  [
    "all records have the same timestamp and camera",
    ["Record 2"],
    changeAll((record) => ({
      ...record,
      camera_pk: 1,
      camera_ref: "a33",
      timestamp: "2025-01-01T00:00:00Z",
      camera_ok: "True",
    })),
  ],
  ["a record has a state", ["States 1"], changeAll((record) => ({ ...record, state: "new" }))],
  [
    "the list is oldest first",
    ["List records 2"],
    () => Object.assign(service, { records: RECORDS.toReversed() }),
  ],
  [
    "each page is oldest first",
    ["List records 2"],
    envelope((fields) => ({ ...fields, results: (fields.results as unknown[]).toReversed() })),
  ],
  [
    "the pages are in reverse order",
    ["List records 2"],
    () =>
      Object.assign(service, {
        records: [...RECORDS.slice(25), ...RECORDS.slice(10, 25), ...RECORDS.slice(0, 10)],
      }),
  ],
  [
    "the list is in the order of ids",
    ["List records 2"],
    () => Object.assign(service, { records: RECORDS.toSorted((a, b) => a.id - b.id) }),
  ],
  [
    "one old record is first",
    ["List records 2"],
    () => Object.assign(service, { records: [at(39), ...RECORDS.slice(0, 39)] }),
  ],
  [
    "a timestamp is far in the future",
    ["List records 2"],
    () => change({ timestamp: "2099-01-01T00:00:00Z" }),
  ],
  [
    "a timestamp is far in the past",
    ["List records 2"],
    () => change({ timestamp: "1999-01-01T00:00:00Z", camera_ok: "True" }),
  ],
  [
    "recent records have null as camera_ok",
    ["List records 4"],
    changeAll((record, index) => (index < 8 ? { ...record, camera_ok: null } : record)),
  ],
  [
    "null and True alternate as camera_ok",
    ["List records 4"],
    changeAll((record, index) => ({ ...record, camera_ok: Math.floor(index / 4) % 2 ? null : "True" })),
  ],
  ...["count", "results", "next", "previous"].map(
    (name): Defect => [
      `pages have no ${name}`,
      [`Page envelope.${name}`],
      envelope((fields) => drop(name)({ ...fields })),
    ],
  ),
  ...["40", 40.5, true, null, -40, [40]].map(
    (count): Defect => [
      `count is ${JSON.stringify(count)}`,
      ["Page envelope.count"],
      () => changeCount(() => count),
    ],
  ),
  [
    "count is the number of records of the page",
    ["Page envelope.count"],
    envelope((fields) => ({ ...fields, count: (fields.results as unknown[]).length })),
  ],
  ["count is the number of pages", ["Page envelope.count"], () => changeCount(() => 3)],
  [
    "count is one too many on page 2",
    ["List records 5"],
    () => changeCount((number) => (number === 2 ? 41 : 40)),
  ],
  ["count decreases from page to page", ["List records 5"], () => changeCount((number) => 43 - number)],
  [
    "count increases with each request, without new records",
    ["List records 5"],
    () => changeCount((_, index) => 40 + index),
  ],
  ["count is 0", ["Page envelope.count", "List records 5"], () => changeCount(() => 0)],
  ...[null, {}, "[]", 15].map(
    (results): Defect => [
      `results is ${JSON.stringify(results)}`,
      ["Page envelope.results"],
      envelope((fields, number) => (number === 2 ? { ...fields, results } : fields)),
    ],
  ),
  [
    "results holds arrays",
    ["Page envelope.results"],
    envelope((fields) => ({
      ...fields,
      results: (fields.results as object[]).map((one) => Object.values(one)),
    })),
  ],
  [
    "results holds ids",
    ["Page envelope.results"],
    envelope((fields) => ({ ...fields, results: (fields.results as { id: number }[]).map(({ id }) => id) })),
  ],
  ...[
    ["next", "https"],
    ["previous", "https"],
  ].map(
    ([name = "", scheme]): Defect => [
      `${name} has the scheme ${scheme}`,
      [`Page envelope.${name}`],
      link(name, (text) => text.replace("http:", `${scheme}:`)),
    ],
  ),
  ...["next", "previous"].flatMap((name): Defect[] => [
    [`${name} is always null`, [`Page envelope.${name}`], link(name, () => null)],
    [`${name} is a number`, [`Page envelope.${name}`], link(name, () => 2)],
    [`${name} is a path`, [`Page envelope.${name}`], link(name, (text) => text.slice(service.origin.length))],
    [
      `${name} is only a query`,
      [`Page envelope.${name}`],
      link(name, (text) => text.slice(text.indexOf("?"))),
    ],
    [
      `${name} has another host`,
      [`Page envelope.${name}`],
      link(name, (text) => text.replace("127.0.0.1", "backend.internal")),
    ],
    [
      `${name} has no slash before the query`,
      [`Page envelope.${name}`],
      link(name, (text) => text.replace("/?", "?")),
    ],
    [`${name} has a page_size`, [`Page envelope.${name}`], link(name, (text) => `${text}&page_size=15`)],
    [
      `${name} has an escaped ampersand`,
      [`Page envelope.${name}`, "Page envelope 2"],
      link(name, (text) => text.replace("&", "&amp;")),
    ],
    [`${name} leads to the page itself`, ["Page envelope 1"], link(name, movePage(name === "next" ? -1 : 1))],
    [`${name} leads one page too far`, ["Page envelope 1"], link(name, movePage(name === "next" ? 1 : -1))],
    [`${name} has no format`, ["Page envelope 2"], link(name, (text) => text.replace("format=api&", ""))],
    [`${name} has format=json`, ["Page envelope 2"], link(name, (text) => text.replace("=api", "=json"))],
    [`${name} has an empty format`, ["Page envelope 2"], link(name, (text) => text.replace("=api", "="))],
  ]),
];

const withHeaders =
  (headers: Record<string, string>) =>
  ({ headers: old }: Reply) => ({ headers: { ...old, ...headers } });
const withoutHeader =
  (name: string) =>
  ({ headers: { [name]: _, ...headers } }: Reply) => ({ headers });
const respond = (method: string, alter: (reply: Reply) => Partial<Reply>) => () => {
  service.reply = (reply, request) => (request.method === method ? { ...reply, ...alter(reply) } : reply);
};
const sized = (size: number) => () => Object.assign(service, { size });

/** Makes a method that writes take effect, although its response has an error status. */
const write =
  (method: string, apply: () => void, status = 405) =>
  () => {
    service.reply = (reply, request) => {
      if (request.method !== method) return reply;
      apply();
      return { ...reply, status };
    };
  };
const writeMethods: [method: string, apply: () => void][] = [
  [
    "POST",
    () =>
      Object.assign(service, {
        records: [
          { ...at(0), id: 5_000 + service.requests.length, timestamp: "2026-01-01T00:00:00Z" },
          ...service.records,
        ],
      }),
  ],
  ["PUT", () => Object.assign(service, { records: service.records.with(0, { ...at(0), cars: 999 }) })],
  ["PATCH", () => Object.assign(service, { records: service.records.with(0, { ...at(0), persons: 999 }) })],
  ["DELETE", () => Object.assign(service, { records: service.records.slice(1) })],
];

/** Serves pages without end. */
const endless = (count: number, results: (number: number) => unknown) => () => {
  service.reply = (reply, { method, page }) => {
    const number = Number(page ?? 1);
    if (method !== "GET" || number < 1) return reply;
    const fields = { ...makeEnvelope(service, number, 10 ** 9), count, results: results(number) };
    return { ...reply, status: 200, body: JSON.stringify(fields) };
  };
};
const slice = (number: number) => RECORDS.slice(15 * (number - 1), 15 * number);

/** The section "Endpoints" and the remaining sections. */
export const HTTP: Defect[] = [
  ...["Allow", "Vary", "Content-Type"].flatMap((name): Defect[] => [
    [`pages have no ${name}`, [`List records.${name}`], onPages(withoutHeader(name))],
    [`page 3 has no ${name}`, [`List records.${name}`], onPage("3", withoutHeader(name))],
    [`${name} is empty`, [`List records.${name}`], onPages(withHeaders({ [name]: "" }))],
  ]),
  ...["GET", "GET, HEAD, OPTIONS", "GET, POST, OPTIONS", "*", "GET; OPTIONS"].map(
    (Allow): Defect => [`Allow is ${Allow}`, ["List records.Allow"], onPages(withHeaders({ Allow }))],
  ),
  ...["*", "Cookie", "Accept, Cookie", "Accept-Encoding"].map(
    (Vary): Defect => [`Vary is ${Vary}`, ["List records.Vary"], onPages(withHeaders({ Vary }))],
  ),
  ...["text/plain", "application/json; charset=utf-8", "application/hal+json", "json"].map(
    (type): Defect => [
      `Content-Type is ${type}`,
      ["List records.Content-Type"],
      onPages(withHeaders({ "Content-Type": type })),
    ],
  ),
  [
    "pages are HTML",
    ["List records.Content-Type"],
    onPages(() => ({
      body: "<!doctype html><h1>Records</h1>",
      headers: { Allow: "GET, OPTIONS", Vary: "Accept", "Content-Type": "text/html; charset=utf-8" },
    })),
  ],
  ...[201, 202, 203, 206, 404, 418].map(
    (status): Defect => [
      `every page has the status ${status}`,
      ["List records.status"],
      onPages(() => ({ status })),
    ],
  ),
  ["every page is 500, with its records", ["List records.status"], onPages(() => ({ status: 500 }))],
  ["page 2 is 500", ["List records.status"], onPage("2", () => ({ status: 500, body: "{}" }))],
  ["page 1 is 502", ["List records.status"], onPage("1", () => ({ status: 502, body: "" }))],
  ["page 2 is 204", ["List records.status"], onPage("2", () => ({ status: 204, body: "", headers: {} }))],
  [
    "page 2 redirects",
    ["List records.status"],
    onPage("2", () => ({ status: 302, body: "", headers: { Location: "/" } })),
  ],
  [
    "GET is 405 on page 2",
    ["List records.method", "List records.status"],
    onPage("2", () => ({ status: 405 })),
  ],
  ["OPTIONS has no Allow", ["Options.method"], respond("OPTIONS", withoutHeader("Allow"))],
  ["OPTIONS is 404", ["Options.method"], respond("OPTIONS", () => ({ status: 404 }))],
  ["OPTIONS is 405", ["Options.method"], respond("OPTIONS", () => ({ status: 405 }))],
  ["OPTIONS is 500", ["Options.method"], respond("OPTIONS", () => ({ status: 500 }))],
  ["OPTIONS is always 503", ["Options.method"], respond("OPTIONS", () => ({ status: 503 }))],
  [
    "OPTIONS advertises PUT",
    ["List records.Allow"],
    respond("OPTIONS", withHeaders({ Allow: "GET, PUT, OPTIONS" })),
  ],
  [
    "405 advertises POST",
    ["List records.Allow"],
    respond("PUT", withHeaders({ Allow: "GET, POST, OPTIONS" })),
  ],
  ...["POST", "PUT", "PATCH", "DELETE"].flatMap((method): Defect[] => [
    [`${method} is 200`, ["Record 5"], respond(method, () => ({ status: 200 }))],
    [`${method} is 204`, ["Record 5"], respond(method, () => ({ status: 204, body: "", headers: {} }))],
  ]),
  ...writeMethods.flatMap(([method, apply]): Defect[] => [
    [`${method} is 405, but takes effect`, ["Record 5"], write(method, apply)],
    [`${method} is 500, but takes effect`, ["Record 5"], write(method, apply, 500)],
  ]),
  [
    "the parameter page is ignored",
    ["List records.page"],
    envelope((fields, number) => ({ ...fields, results: slice(number > 0 ? 1 : number) })),
  ],
  [
    "every request gets page 1, including its links",
    ["List records.page"],
    envelope(() => makeEnvelope(service, 1, 3)),
  ],
  [
    "pages are numbered from 0",
    ["List records.page"],
    () => {
      service.reply = (reply, { method, page }) => {
        if (method !== "GET") return reply;
        const number = Number(page ?? 0) + 1;
        if (number > 3) return { ...reply, status: 404, body: "{}" };
        const links = {
          next: makeEnvelope(service, number - 1, number < 3 ? 9 : number - 1).next,
          previous: null,
        };
        const { previous } = makeEnvelope(service, number - 1, 3);
        return {
          ...reply,
          status: 200,
          body: JSON.stringify({ ...makeEnvelope(service, number, 3), ...links, previous }),
        };
      };
    },
  ],
  [
    "without the parameter page, the response is the last page",
    ["List records.page default"],
    onPage(null as never, () => ({ body: JSON.stringify(makeEnvelope(service, 3, 3)) })),
  ],
  [
    "without the parameter page, the response is 400",
    ["List records.page default"],
    onPage(null as never, () => ({ status: 400, body: "{}" })),
  ],
  ...[1, 10, 14, 16, 20, 100].map(
    (size): Defect => [`pages hold ${size} records`, ["List records 1"], sized(size)],
  ),
  [
    "page 2 holds 3 records",
    ["List records 1"],
    envelope((fields, number) => (number === 2 ? { ...fields, results: slice(2).slice(0, 3) } : fields)),
  ],
  [
    "page 2 is empty",
    ["List records 1"],
    envelope((fields, number) => (number === 2 ? { ...fields, results: [] } : fields)),
  ],
  [
    "count is 10^9, and page 1 is repeated",
    ["List records.page", "Page envelope.count"],
    endless(10 ** 9, () => slice(1)),
  ],
  ["count is 10^9, and empty pages follow", ["Page envelope.count"], endless(10 ** 9, slice)],
  [
    "count is 10^9, and two pages alternate",
    ["List records.page", "Page envelope.count"],
    endless(10 ** 9, (number) => slice(2 - (number % 2))),
  ],
  ["there are more records than count says", ["Page envelope.count"], () => changeCount(() => 20)],
  [
    "pages skip a record",
    ["Page envelope.count"],
    envelope((fields, number) => ({
      ...fields,
      results: RECORDS.slice(16 * (number - 1), 16 * (number - 1) + 15),
    })),
  ],
  [
    "the collection grows by older records, which are put first",
    ["List records 2"],
    () => {
      const older = makeCollection(100)
        .slice(60)
        .map((record, index) => ({ ...record, id: 9_000 + index, timestamp: "2018-01-01T00:00:00Z" }));
      service.reply = (reply, { method, page }) => {
        const added = method === "GET" && page === "2" ? older.pop() : undefined;
        if (added) service.records = [added, ...service.records];
        return reply;
      };
    },
  ],
  [
    "page 2 is cut off",
    ["List records.body"],
    onPage("2", ({ body }) => ({ body: String(body).slice(0, 500) })),
  ],
  ["page 2 has an empty body", ["List records.body"], onPage("2", () => ({ body: "" }))],
  [
    "every page is an array",
    ["List records.body"],
    onPages(() => ({ body: JSON.stringify(RECORDS.slice(0, 15)) })),
  ],
  ["every page is null", ["List records.body"], onPages(() => ({ body: "null" }))],
  ["every page is a script", ["List records.body"], onPages(({ body }) => ({ body: `callback(${body})` }))],
  [
    "page 2 contains NaN",
    ["List records.body"],
    onPage("2", ({ body }) => ({ body: String(body).replace(/"cars":\d+/, '"cars":NaN') })),
  ],
  [
    "page 2 has single quotes instead of double quotes",
    ["List records.body"],
    onPage("2", ({ body }) => ({ body: String(body).replaceAll('"', "'") })),
  ],
  [
    "uncompressed pages have Content-Encoding gzip",
    ["List records.body"],
    onPages(withHeaders({ "Content-Encoding": "gzip" })),
  ],
  [
    "page 2 is uncompressed, but has Content-Encoding br",
    ["List records.body"],
    onPage("2", withHeaders({ "Content-Encoding": "br" })),
  ],
  [
    "Content-Encoding is unknown",
    ["List records.body"],
    onPages(withHeaders({ "Content-Encoding": "utf-8" })),
  ],
  [
    "page 2 is compressed with gzip, but has no Content-Encoding",
    ["List records.body"],
    onPage("2", ({ body }) => ({ body: gzipSync(body) })),
  ],
  [
    "Content-Length is too small",
    ["List records.body"],
    onPage("2", withHeaders({ "Content-Length": "1000" })),
  ],
  [
    "page 2 is encoded in Latin-1",
    ["List records.body"],
    onPage("2", ({ body }) => ({ body: Buffer.from(String(body).replace('"a33"', '"a\xE933"'), "latin1") })),
  ],
  [
    "a page has 10 MB",
    ["Record.model_name"],
    onPage("2", ({ body }) => ({ body: String(body).replace('tf1"', `${"x".repeat(10_000_000)}"`) })),
  ],
  [
    "page 2 has 100,000 nested arrays",
    ["List records.body"],
    onPage("2", () => ({ body: "[".repeat(100_000) + "]".repeat(100_000) })),
  ],
  [
    "the collection is at another path",
    ["List records.path"],
    () => {
      service.path = "/api/v2/records/";
      service.reply = (reply, { target }) =>
        target.startsWith(PATH)
          ? { ...reply, status: 307, headers: { Location: target.replace(PATH, service.path) } }
          : reply;
    },
  ],
  [
    "Allow is lower case and lists PATCH",
    ["List records.Allow"],
    () => changeHeaders({ Allow: "get, options, patch" }),
  ],
];
