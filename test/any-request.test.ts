import fc from "fast-check";
import { expect, test } from "vitest";
import { PATH } from "./http-suite/exchange.ts";
import { createMemoryService } from "./memory-service.ts";
import { makeRecords } from "./records/sample.ts";

// What a client may send in a request line: printable ASCII, percent-encoded or not, well-formed or not.
const printable = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
});
const encoded = fc.string({ unit: "binary" }).map((text) => encodeURIComponent(text.toWellFormed()));
const broken = fc.constantFrom("%", "%f", "%ff", "%00", "%2", "%u1234", "%C3%28");
const word = fc.oneof(
  printable.map((text) => text.replace(/[#?]/g, "")),
  encoded,
  broken,
);

const path = fc.oneof(
  { weight: 8, arbitrary: fc.constant(PATH) },
  { weight: 2, arbitrary: fc.constantFrom("/", "/openapi.json", "/docs", "/healthz", PATH.slice(0, -1)) },
  fc.constantFrom(`/${PATH}`, `${PATH}1`, "/%", "/%ff", "/..%2f", "/api//tf1", "/*", "/%64ocs", "/docs/"),
  fc.array(word, { maxLength: 4 }).map((words) => `/${words.join("/")}`),
);
const value = fc.oneof(
  fc.integer({ min: -1, max: 800 }).map(String),
  fc.constantFrom("", "last", "api", "json", "xml", "1e1", "%31", "9".repeat(400), "code=404,delay=1"),
  word,
);
const name = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("page", "format") },
  fc.constantFrom("prefer", "page[]", "__proto__", "a"),
  word,
);
const query = fc.array(
  fc.tuple(name, value).map((pair) => pair.join("=")),
  { maxLength: 4 },
);
const text = fc.oneof(printable, fc.constantFrom("é", "ü".repeat(50), "a".repeat(4_000), "; , =", "*"));
const accept = fc.constantFrom("*/*", "text/html", "text/html;q=0.5, application/json;q=0.4", "image/png");
const headers = fc.record(
  {
    accept: fc.oneof(accept, text),
    prefer: fc.oneof(fc.constantFrom("code=404", "body=garbage, fail=0", "delay=1, code=x"), text),
    "if-none-match": fc.oneof(fc.constantFrom("*", '"other", W/"old"'), text),
    range: text,
    cookie: text,
    "content-type": text,
    "x-forwarded-proto": text,
    "access-control-request-method": fc.constantFrom("GET", "POST"),
  },
  { requiredKeys: [] },
);
const method = fc.oneof(
  { weight: 8, arbitrary: fc.constant("GET") },
  fc.constantFrom("HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "PROPFIND"),
);

test.each([0, 10_000])(
  "any request for %i records gets a documented response, and no error of the service",
  async (count) => {
    const service = await createMemoryService(makeRecords(count));
    const requests = fc.asyncProperty(method, path, query, headers, async (method, path, query, headers) => {
      const body = ["GET", "HEAD", "OPTIONS"].includes(method) ? null : "{}";
      const target = query.length === 0 ? path : `${path}?${query.join("&")}`;
      const response = await service.fetch(target, { method, headers, body });
      expect(response.status).toBeLessThan(500);
      await response.text();
    });
    await fc.assert(requests, { numRuns: 2_000 });
  },
);
