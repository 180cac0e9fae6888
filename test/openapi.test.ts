import { describe, expect, test } from "vitest";
import { requireAcceptable } from "../src/http/negotiation.ts";
import { EXAMPLE_RECORDS, OPENAPI_DOCUMENT } from "../src/openapi.ts";
import { COLLECTION_PATH, MAX_PAGE, parsePageNumber } from "../src/records/page.ts";
import { createMemoryService, ORIGIN } from "./memory-service.ts";
import { checkValue, requireDocumented } from "./openapi-check.ts";

const document = OPENAPI_DOCUMENT;
const { get, options } = document.paths[COLLECTION_PATH]!;
const service = await createMemoryService(EXAMPLE_RECORDS.toReversed());

describe("the document", () => {
  test("has no patterns that only JavaScript can read, and no references that a reader cannot follow", () => {
    expect(JSON.stringify(document)).not.toMatch(/\\p\{|behaviour \d|specification/);
  });

  test("has what generators choose types by: the type of each constant, and the size of ids", () => {
    const untyped: unknown[] = [];
    const schemas = [get!, options!].flatMap(({ parameters }) => parameters.map(({ schema }) => schema));
    JSON.stringify({ schemas, components: document.components }, (_, value) => {
      const isConstant = "const" in Object(value) || Array.isArray(Object(value).enum);
      if (isConstant && value.type === undefined) untyped.push(value);
      return value;
    });
    expect(untyped).toEqual([]);
    const wide = { type: "integer", format: "int64" };
    expect(document.components.schemas.TrafficRecord).toMatchObject({
      properties: { id: wide, camera_pk: wide },
    });
  });

  test("refers to each of its components", () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g);
    const components = Object.entries(document.components).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `#/components/${kind}/${name}`),
    );
    expect(new Set(Array.from(references, ([, reference]) => reference))).toEqual(new Set(components));
  });

  test.each([
    ["GET", get!],
    ["OPTIONS", options!],
  ])("has the response to %s as an example", async (method, { responses }) => {
    const { schema, example } = responses[200]!.content!["application/json"]!;
    const response = await service.fetch(COLLECTION_PATH, { method });
    expect(await response.text()).toBe(JSON.stringify(example));
    expect(checkValue(schema, example)).toEqual([]);
  });
});

describe("the parameters allow exactly the values that the service accepts:", () => {
  /** Whether a parameter allows a value, which is a number if it has the form of a number. */
  const allowsValue = (name: string, text: string) => {
    const { schema } = get!.parameters.find((parameter) => parameter.name === name)!;
    const value = /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? Number(text) : text;
    return checkValue(schema, value).length === 0;
  };

  test("page", () => {
    const numbers = [1, 1.5, -1, 0, MAX_PAGE, MAX_PAGE + 1].map(String);
    for (const text of [...numbers, "last", "first", "LAST"])
      expect([text, allowsValue("page", text)]).toEqual([text, parsePageNumber(text) !== undefined]);
  });

  test("format", () => {
    for (const text of ["api", "json"]) {
      expect(allowsValue("format", text)).toBe(true);
      requireAcceptable(text, undefined);
    }
    for (const text of ["html", "API"]) {
      expect(allowsValue("format", text)).toBe(false);
      expect(() => requireAcceptable(text, undefined)).toThrow();
    }
  });
});

describe("the check of each response in the tests finds", async () => {
  const url = ORIGIN + COLLECTION_PATH;
  const response = await service.fetch(COLLECTION_PATH);
  const page = await response.text();

  /** The difference between the request and response and those of a page. An empty header is missing. */
  type Change = { method?: string; status?: number; headers?: Record<string, string>; body?: string };

  test.each<[string, Change, RegExp]>([
    ["an undocumented status", { status: 418 }, /status 418/],
    ["a missing header", { headers: { allow: "" } }, /headers must have required property 'allow'/],
    ["a weak ETag", { headers: { etag: 'W/"1"' } }, /headers\/etag must match pattern/],
    [
      "an unexpected header",
      { headers: { "retry-after": "5" } },
      /headers\/retry-after boolean schema is false/,
    ],
    ["a charset", { headers: { "content-type": "application/json; charset=UTF-8" } }, /content type/],
    ["a body to HEAD", { method: "HEAD" }, /a body in the response to HEAD/],
    ["a missing field", { body: page.replace(/"buses":\d+,/, "") }, /results\/0 .*required property 'buses'/],
    ["16 records", { body: page.replace(/"results":\[(\{.*?\})/, '"results":[$1,$1') }, /more than 15/],
  ])("%s", async (_, { method = "GET", status = 200, headers = {}, body = page }, problem) => {
    const all = Object.entries({ ...Object.fromEntries(response.headers), ...headers });
    const changed = new Response(body, { status, headers: all.filter(([, value]) => value !== "") });
    const checked = requireDocumented({ method, url, headers: new Headers() }, changed);
    await expect(checked).rejects.toThrow(problem);
  });
});
