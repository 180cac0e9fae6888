import { describe, expect, test } from "vitest";
import { COLLECTION_PATH } from "../../../src/http/links.ts";
import { parsePageNumber } from "../../../src/records/page.ts";
import { EXAMPLE_RECORDS, OPENAPI_DOCUMENT } from "../../../tools/reference/openapi.ts";
import { createMemoryService, ORIGIN } from "../../support/memory-service.ts";
import { checkValue, requireDocumented } from "../../support/openapi-check.ts";
import { compareNewestFirst } from "../../support/sample-records.ts";

const document = OPENAPI_DOCUMENT;
const { get, options } = document.paths[COLLECTION_PATH];
const service = await createMemoryService(EXAMPLE_RECORDS.toReversed());

describe("the document", () => {
  test("has what generators choose types by: the type of each constant, and the sizes of ids and pages", () => {
    const untyped: unknown[] = [];
    const schemas = [get, options].flatMap(({ parameters }) => parameters.map(({ schema }) => schema));
    JSON.stringify({ schemas, components: document.components }, (_, value) => {
      const isConstant = "const" in Object(value) || Array.isArray(Object(value).enum);
      if (isConstant && value.type === undefined) untyped.push(value);
      return value;
    });
    expect(untyped).toEqual([]);
    const wide = { type: "integer", format: "int64" };
    expect(document.components.schemas).toMatchObject({
      TrafficRecord: { properties: { id: wide, camera_pk: wide } },
      Page: { properties: { results: { maxItems: 15 } } },
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
    ["GET", get],
    ["OPTIONS", options],
  ])("has the response to %s as an example", async (method, { responses }) => {
    const { schema, example } = responses[200]!.content!["application/json"]!;
    const response = await service.fetch(COLLECTION_PATH, { method });
    expect(await response.text()).toBe(JSON.stringify(example));
    expect(checkValue(schema, example)).toEqual([]);
  });

  test("has a page without faults as its first example, which importers of the document send", async () => {
    const sent = get.parameters.map(({ name, examples = {} }) => [name, Object.values(examples)[0]?.value]);
    const query = sent.filter(([, value]) => value !== undefined).map((parameter) => parameter.join("="));
    expect(query).toEqual(["page=1", "prefer=none"]);
  });

  test("has records as an example, newest first", () =>
    expect(EXAMPLE_RECORDS.toSorted(compareNewestFirst)).toEqual(EXAMPLE_RECORDS));
});

test.each([
  ["page", "1", true],
  ["page", "600479950316066", true],
  ["page", "last", true],
  ["page", "600479950316067", false],
  ["page", "0", false],
  ["page", "1.5", false],
  ["page", "first", false],
  ["format", "api", true],
  ["format", "json", true],
  ["format", "html", false],
  ["format", "API", false],
])("the document and the service agree about %s=%s: %s", async (name, text, isAllowed) => {
  const { schema } = get.parameters.find((parameter) => parameter.name === name)!;
  const value = /^[-\d.]+$/.test(text) ? Number(text) : text;
  expect(checkValue(schema, value).length === 0).toBe(isAllowed);
  const body = await (await service.fetch(`${COLLECTION_PATH}?${name}=${text}`)).text();
  // A page past the end is not invalid, but this collection does not have it.
  const isRejected = body.includes("Not found.") || (name === "page" && parsePageNumber(text) === undefined);
  expect(isRejected).toBe(!isAllowed);
});

test.each<[problem: string, change: { method?: string; status?: number; headers?: object; body?: string }]>([
  ["status 418", { status: 418 }],
  ["required property 'allow'", { headers: { allow: "" } }],
  ["headers/retry-after", { headers: { "retry-after": "5" } }],
  ["content type", { headers: { "content-type": "application/json; charset=UTF-8" } }],
  ["a body in the response to HEAD", { method: "HEAD" }],
  ["body/count", { body: '{"count":-1,"next":null,"previous":null,"results":[]}' }],
])("the check of each response in the tests finds a problem: %s", async (problem, change) => {
  const response = await service.fetch(COLLECTION_PATH);
  const { method = "GET", status = 200, headers = {}, body = await response.text() } = change;
  const all = Object.entries<string>({ ...Object.fromEntries(response.headers), ...headers });
  const changed = new Response(body, { status, headers: all.filter(([, value]) => value !== "") });
  const sent = { method, url: ORIGIN + COLLECTION_PATH, headers: new Headers() };
  await expect(requireDocumented(sent, changed)).rejects.toThrow(problem);
});
