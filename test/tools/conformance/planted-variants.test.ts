import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { changeHeaders, changeReply, RECORDS } from "./broken-service.ts";
import { makeCollection, makeEnvelope, PATH, type Reply, service, setUpService } from "./fake-service.ts";
import { checkQuickly, rulesOf } from "./quick-check.ts";

setUpService(RECORDS);

const rewrite = (alter: (text: string) => string) => () => {
  service.reply = (reply) => ({ ...reply, body: alter(String(reply.body)) });
};
const records = (alter: (record: (typeof RECORDS)[number], index: number) => object) => () => {
  service.records = RECORDS.map((record, index) => ({ ...record, ...alter(record, index) }));
};
const respond = (method: string, changes: Partial<Reply>) => () => {
  service.reply = (reply, request) => (request.method === method ? { ...reply, ...changes } : reply);
};
const onPageZero = (changes: () => Partial<Reply>) => () => changeReply("0", changes);
const zero = (number: number) => () => ({
  status: 200,
  body: JSON.stringify(makeEnvelope(service, number, 3)),
});
const NO_COUNTS = { cars: 0, persons: 0, bicycles: 0, trucks: 0, motorcycles: 0, buses: 0 };

/** Services that differ from each other only where the specification leaves a choice. */
const VARIANTS: [name: string, apply: () => void][] = [
  ["JSON has white space", rewrite((text) => JSON.stringify(JSON.parse(text), null, 4))],
  [
    "JSON has escapes",
    rewrite((text) => text.replaceAll("a33", "\\u0061\\u0033\\u0033").replaceAll("/", "\\/")),
  ],
  [
    "fields are in another order",
    () =>
      Object.assign(service, {
        records: RECORDS.map((one) => Object.fromEntries(Object.entries(one).reverse())),
      }),
  ],
  [
    "names of cameras are not ASCII",
    records(({ camera_ref }) => ({ camera_ref: `Straße ${camera_ref} 🚲` })),
  ],
  ["ids are negative", records(({ id }) => ({ id: -id }))],
  ["ids are in the order of the list", records((_, index) => ({ id: 1_000 - index }))],
  ["ids are in the reverse order of the list", records((_, index) => ({ id: index }))],
  ["all records are old", records(() => ({ camera_ok: null }))],
  ["all records are recent", records(() => ({ camera_ok: "True" }))],
  ["all cameras are broken", records(() => ({ camera_ok: "False", ...NO_COUNTS }))],
  ["all counts are 0, even if camera_ok is True", records(() => ({ ...NO_COUNTS }))],
  [
    "all records have one timestamp",
    records((_, index) => ({ timestamp: "2025-01-01T00:00:00Z", camera_pk: index, camera_ref: `c${index}` })),
  ],
  [
    "there is one camera",
    () => Object.assign(service, { records: RECORDS.filter(({ camera_pk }) => camera_pk === 1) }),
  ],
  ["all cameras share a name", records(() => ({ camera_ref: "same" }))],
  ["counts are large", records(({ camera_ok }) => (camera_ok === "False" ? {} : { cars: 10 ** 15 }))],
  ["the last page is full", () => Object.assign(service, { records: makeCollection(45) })],
  ["there is no record", () => Object.assign(service, { records: [] })],
  [
    "bodies are compressed",
    () => {
      service.reply = (reply) => ({
        ...reply,
        headers: { ...reply.headers, "Content-Encoding": "gzip" },
        body: gzipSync(reply.body),
      });
    },
  ],
  ["Allow lists the methods in another order", () => changeHeaders({ Allow: "OPTIONS,GET" })],
  ["Allow repeats a method", () => changeHeaders({ Allow: "GET, OPTIONS, OPTIONS, GET" })],
  ["Vary repeats a header", () => changeHeaders({ Vary: "Accept, accept" })],
  ["Content-Type is upper case", () => changeHeaders({ "Content-Type": "APPLICATION/JSON" })],
  [
    "pages have additional headers",
    () => changeHeaders({ ETag: '"1"', "Cache-Control": "max-age=60", Server: "x" }),
  ],
  ["OPTIONS has no body", respond("OPTIONS", { status: 204, body: "", headers: { Allow: "GET, OPTIONS" } })],
  [
    "the body of OPTIONS is plain text",
    respond("OPTIONS", {
      body: "GET, OPTIONS",
      headers: { Allow: "OPTIONS, GET", "Content-Type": "text/plain" },
    }),
  ],
  ["POST returns 403", respond("POST", { status: 403, body: "", headers: {} })],
  ["DELETE returns 501", respond("DELETE", { status: 501, body: "", headers: {} })],
  [
    "PUT returns 404",
    respond("PUT", { status: 404, body: "<h1>Not found</h1>", headers: { "Content-Type": "text/html" } }),
  ],
  ["HEAD is refused", respond("HEAD", { status: 405, body: "" })],
  ["page 0 is page 1", onPageZero(zero(1))],
  ["page 0 is the last page", onPageZero(zero(3))],
  [
    "page 0 is an empty page",
    onPageZero(() => ({ status: 200, body: '{"count":40,"next":null,"previous":null,"results":[]}' })),
  ],
  ["page 0 returns 400", onPageZero(() => ({ status: 400, body: "bad", headers: {} }))],
  ["page 0 returns 500", onPageZero(() => ({ status: 500, body: "", headers: {} }))],
  [
    "links point past both ends of the list, to errors",
    () => {
      const link = (page: number) => `${service.origin}${PATH}?format=api&page=${page}`;
      service.envelope = (fields, number) => ({
        ...fields,
        next: link(number + 1),
        previous: link(number - 1),
      });
      service.reply = (reply, { page }) => (page === "4" ? { ...reply, status: 500, body: "" } : reply);
    },
  ],
  [
    "envelopes and records have additional fields",
    () => {
      service.envelope = (fields) => ({ ...fields, pages: 3, links: { self: "x" } });
      service.records = RECORDS.map((record) => ({ ...record, vans: 1.5, note: null }));
    },
  ],
  [
    "every second request is throttled",
    () => {
      service.reply = (reply, { index }) =>
        index % 2 ? { ...reply, status: 429, headers: { "Retry-After": "0" }, body: "" } : reply;
    },
  ],
  [
    "a record is added with each request",
    () => {
      const all = makeCollection(200);
      service.records = all.slice(150);
      service.reply = (reply, { index }) => {
        service.records = all.slice(Math.max(0, 149 - index));
        return reply;
      };
    },
  ],
];

test.each(VARIANTS)("a conforming service breaks no rule: %s", async (_, apply) => {
  apply();
  const report = await checkQuickly(service.origin);
  expect(rulesOf(report, "fail")).toEqual([]);
  expect(report.stopped).toBeUndefined();
});
