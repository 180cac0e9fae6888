import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { PATH, type Target } from "../support/exchange.ts";
import { createMemoryService } from "../support/memory-service.ts";
import { makeRecords } from "../support/sample-records.ts";
import { describeHttpSuite, listExchanges } from "./suite.ts";

async function createTarget(count: number | undefined): Promise<Target> {
  const records = makeRecords(count ?? 0);
  const service = await createMemoryService(count === undefined ? undefined : records);
  const { origin, fetch } = service;
  return { origin, fetch, hasFiles: false, records: records.reverse() };
}

describe.each([100, 15, 0, undefined])("in memory, with %s records,", async (count) => {
  describeHttpSuite(await createTarget(count));
});

const listAll = (target: Target) => listExchanges(target).flatMap(([, exchanges]) => exchanges);

test("HEAD has the status and the headers of GET without the body and its fault, and no client error is logged", async () => {
  const log = vi.spyOn(console, "error");
  const target = await createTarget(100);
  const gets = listAll(target).filter(({ request }) => request.startsWith("/"));
  for (const { request, requestHeaders: headers = {} } of gets) {
    const get = await target.fetch(request, { headers });
    const head = await target.fetch(request, { method: "HEAD", headers });
    expect(await head.text()).toBe("");
    const headersOfGet = Array.from(get.headers, ([name, value]) => [
      name,
      value.replace(", body=garbage", ""),
    ]);
    expect([request, head.status, ...head.headers]).toEqual([request, get.status, ...headersOfGet]);
  }
  expect(log).not.toHaveBeenCalled();
});

// Request lines: printable ASCII, percent-encoded or not, well-formed or not.
const character = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
const printable = fc.string({ unit: character });
// As the unit "binary" of fast-check, which takes a second to create.
const anyCharacter = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));
const encoded = fc.string({ unit: anyCharacter }).map((text) => encodeURIComponent(text.toWellFormed()));
const broken = fc.constantFrom("%", "%f", "%ff", "%00", "%u1234", "%C3%28");
const segment = printable.map((text) => text.replace(/[#?]/g, ""));
const word = fc.oneof(segment, encoded, broken);

const path = fc.oneof(
  fc.constant(PATH),
  fc.constantFrom(PATH, "/", "/go", "/healthz", PATH.slice(0, -1), "/*"),
  fc.array(word, { maxLength: 4 }).map((words) => `/${words.join("/")}`),
);
const name = fc.oneof(fc.constantFrom("page", "format", "prefer", "__proto__"), word);
const known = fc.constantFrom("", "last", "json", "-1", "9".repeat(400), "code=404");
const value = fc.oneof(known, fc.nat(800), word);
const parameter = fc.tuple(name, value).map((pair) => pair.join("="));
const query = fc.array(parameter, { maxLength: 4 }).map((parameters) => `?${parameters.join("&")}`);
const text = fc.oneof(printable, fc.constantFrom("é", "a".repeat(4_000), "; , =", "*"));
const addressParts = fc.array(fc.constantFrom("", "1", "ffff", "g", "%e", "1.2.3.4"));
const almostAddress = addressParts.map((parts) => parts.join(":"));
const headers = fc.record(
  {
    "cf-connecting-ip": fc.oneof(fc.ipV4(), fc.ipV6(), almostAddress),
    accept: fc.oneof(fc.constantFrom("*/*", "text/html", "text/html;q=0.5, application/json;q=0.4"), text),
    prefer: fc.oneof(fc.constantFrom("code=404", "body=garbage, fail=0", "delay=1, code=x"), text),
    "if-none-match": text,
    range: text,
    "x-forwarded-proto": text,
    "access-control-request-method": fc.constantFrom("GET", "POST"),
  },
  { requiredKeys: [] },
);
const otherMethod = fc.constantFrom("HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "PROPFIND");
const method = fc.oneof({ weight: 8, arbitrary: fc.constant("GET") }, otherMethod);

test.each([0, 10_000])(
  "any request for %i records gets a documented response, and no error of the service",
  async (count) => {
    const settings = { RATE_LIMIT: "60", RATE_LIMITER: { limit: async () => ({ success: true }) } };
    const service = await createMemoryService(makeRecords(count), { settings });
    const requests = fc.asyncProperty(method, path, query, headers, async (method, path, query, headers) => {
      const body = ["GET", "HEAD", "OPTIONS"].includes(method) ? null : "{}";
      const response = await service.fetch(path + query, { method, headers, body });
      expect(response.status).toBeLessThan(500);
    });
    await fc.assert(requests, { numRuns: 2_000 });
  },
);
