import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { negotiate } from "../src/http/request.ts";
import { describeService, EXAMPLE_RECORDS, type Schema } from "../src/openapi.ts";
import { COLLECTION_PATH, MAX_PAGE, parsePageNumber } from "../src/records/page.ts";
import { TrafficRecord } from "../src/records/record.ts";
import { createMemoryService, ORIGIN } from "./memory-service.ts";
import { checkDocumented } from "./openapi-check.ts";
import { compareNewestFirst } from "./records/sample.ts";

const document = describeService(ORIGIN);
const { get, options } = document.paths[COLLECTION_PATH]!;

function compile(schema: Schema) {
  const ajv = new Ajv2020({ strict: true });
  formats.default(ajv);
  ajv.addKeyword("components");
  return ajv.compile({ ...schema, components: document.components });
}

describe("the document", () => {
  test("contains the version and the license of the package, and the origin", async () => {
    const { version, license } = JSON.parse(await readFile("package.json", "utf8"));
    expect(document.info).toMatchObject({ version, license: { identifier: license } });
    expect(document.servers.map(({ url }) => url)).toEqual([ORIGIN]);
  });

  test("has the methods of the specification, and the fields of a record in their order", () => {
    expect(Object.keys(document.paths[COLLECTION_PATH]!)).toEqual(["get", "options"]);
    const { properties, required } = document.components.schemas.TrafficRecord!;
    expect(Object.keys(Object(properties))).toEqual(Object.keys(TrafficRecord.shape));
    expect(required).toEqual(Object.keys(TrafficRecord.shape));
  });

  test("has no patterns that only JavaScript reads, and does not cite what a reader does not have", () => {
    expect(JSON.stringify(document)).not.toMatch(/\\p\{|behaviour \d|specification/);
  });

  test("has a component for every reference, and uses every component", () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g);
    const components = Object.entries(document.components).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `#/components/${kind}/${name}`),
    );
    expect(new Set(Array.from(references, ([, reference]) => reference))).toEqual(new Set(components));
  });
});

const examples = [get!, options!]
  .flatMap(({ responses }) => Object.entries(responses))
  .flatMap(([status, { content = {} }]) =>
    Object.values(content).flatMap(({ schema, examples = {} }) =>
      Object.values(examples).map((example) => ({ ...example, status: Number(status), schema })),
    ),
  );

test("the records of the examples are in the order of the collection", () => {
  expect(EXAMPLE_RECORDS).toEqual(EXAMPLE_RECORDS.toSorted(compareNewestFirst));
});

test.each(examples)(
  "the example $summary is valid, and the response of a service with the records of the examples",
  async ({ summary, status, schema, value }) => {
    const service = await createMemoryService(EXAMPLE_RECORDS.toReversed());
    const [, method = "", target = "", accept = "*/*"] =
      /^([A-Z]+) ([^ ,]+)(?:, Accept: (.*))?(?: \(made-up records\))?$/.exec(summary) ?? [];
    const response = await service.fetch(target, { method, headers: { accept } });
    expect([response.status, await response.text()]).toEqual([status, JSON.stringify(value)]);
    const validate = compile(schema);
    expect(validate(value), validate.errors?.join()).toBe(true);
  },
);

describe("the parameters allow exactly the values that the service accepts:", () => {
  const find = (name: string) => get!.parameters.find((parameter) => parameter.name === name)!;

  /** Reads a value in a query as a number if it has the form of a number. */
  const toValue = (text: string) => (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? Number(text) : text);

  test("page", () => {
    const validate = compile(find("page").schema);
    const texts = ["1", "last", "first", "LAST", "1.5", "-1", "0", `${MAX_PAGE}`, `${MAX_PAGE + 1}`];
    for (const text of texts)
      expect([text, validate(toValue(text))]).toEqual([text, parsePageNumber(text) !== undefined]);
    expect(find("page").schema.default).toBe(parsePageNumber(""));
  });

  test("format", () => {
    const validate = compile(find("format").schema);
    for (const text of ["api", "json"])
      expect([validate(text), negotiate(text, undefined)]).toEqual([true, "json"]);
    for (const text of ["html", "API"]) {
      expect(validate(text)).toBe(false);
      expect(() => negotiate(text, undefined)).toThrow();
    }
  });

  test("every parameter of the query can be empty", () => {
    for (const { name, in: place, allowEmptyValue = false } of get!.parameters)
      if (place === "query") expect(allowEmptyValue, name).toBe(true);
  });
});

describe("the check of every response in the tests finds", async () => {
  const url = ORIGIN + COLLECTION_PATH;
  const response = await (await createMemoryService(EXAMPLE_RECORDS.toReversed())).fetch(COLLECTION_PATH);
  const page = await response.text();

  /** How a request and its response differ from those of a page. */
  interface Change {
    method?: string;
    sent?: Record<string, string>;
    status?: number;
    /** Empty if a header is missing. */
    headers?: Record<string, string>;
    body?: string | null;
  }

  test.each<[string, Change, RegExp]>([
    ["an unknown status", { status: 418 }, /status 418/],
    ["405 to GET", { status: 405 }, /status 405/],
    ["200 to POST", { method: "POST" }, /status 200/],
    [
      "a preflight without 204",
      { method: "OPTIONS", sent: { "access-control-request-method": "GET" } },
      /status 200/,
    ],
    ["a missing header", { headers: { allow: "" } }, /headers must have required property 'allow'/],
    ["a weak ETag", { headers: { etag: 'W/"1"' } }, /headers\/etag must match pattern/],
    [
      "a header of another response",
      { headers: { "retry-after": "5" } },
      /retry-after is not documented here/,
    ],
    ["a charset", { headers: { "content-type": "application/json; charset=UTF-8" } }, /content type/],
    ["a body to HEAD", { method: "HEAD" }, /a body in the response to HEAD/],
    [
      "a missing field",
      { body: page.replace(/"buses":\d+,/, "") },
      /results\/0 must have required property 'buses'/,
    ],
    ["an additional field", { body: page.replace('"next"', '"pages":1,"next"') }, /additional properties/],
    ["16 records", { body: page.replace(/"results":\[(\{.*?\})/, '"results":[$1,$1') }, /more than 15/],
  ])("%s", async (_, { method = "GET", sent = {}, status = 200, headers = {}, body = page }, problem) => {
    const all = Object.entries({ ...Object.fromEntries(response.headers), ...headers });
    const changed = new Response(body, { status, headers: all.filter(([, value]) => value !== "") });
    const checked = checkDocumented({ method, url, headers: new Headers(sent) }, changed);
    await expect(checked).rejects.toThrow(problem);
  });
});
