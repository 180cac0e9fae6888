import { describe, expect, test } from "vitest";
import { MOCK_OPTIONS } from "../../src/mock/options.ts";
import { describeService, type Schema } from "../../src/openapi.ts";
import { createInstance, createMemoryService, ORIGIN } from "../memory-service.ts";
import { extractText, IN_BROWSER } from "./web-page.ts";

const service = await createMemoryService();
const page = await (await service.fetch("/docs", IN_BROWSER)).text();
const text = extractText(page);

describe("the API reference", () => {
  test("contains the text of the OpenAPI document, except that of OPTIONS and small objects", () => {
    const { paths, components } = describeService(ORIGIN);
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    const plain = (markdown: string) => markdown.replaceAll("`", "").replaceAll(/^- |\n- /gm, "\n");
    const facts = [
      ...operations.flatMap(({ summary, description }) => [summary, description]),
      // Other operations have the same parameters and responses. The table of faults replaces the list in the description of `prefer`.
      ...operations[0]!.parameters.flatMap(({ name, description }) => (name === "prefer" ? [] : description)),
      ...Object.values(operations[0]!.responses).map(({ description }) => description),
      ...Object.values(components.headers).map(({ description }) => description),
      ...[components.schemas.TrafficRecord, components.schemas.Page].flatMap(({ properties }: Schema = {}) =>
        Object.entries<Schema>(Object(properties)).flatMap(([name, { description = "" }]) => [
          name,
          String(description),
        ]),
      ),
    ];
    expect(facts.length).toBeGreaterThan(60);
    for (const fact of facts) for (const line of plain(fact).split("\n")) expect(text).toContain(line.trim());
  });

  test("shows code of the document as code, and the values of a schema in words", () => {
    expect(page).toContain("1 is the newest, and <code>last</code> is the oldest. Absent");
    expect(text).toContain("page query: integer, 1 or more, or last");
    expect(text).toContain("cars integer, 0 or more");
    expect(text).toContain("camera_pk integer");
  });

  test("lists and suggests every fault, with what it does and its values", () => {
    for (const { example, description, value } of Object.values(MOCK_OPTIONS)) {
      expect(text).toContain(`${example} ${value}${description}.`);
      expect(page).toContain(`<option value="${example}">`);
    }
  });

  test("has the place to which each of its links leads", () => {
    const places = Array.from(page.matchAll(/href="#([^"]+)"/g), ([, place]) => place);
    expect(places).toContain("faults");
    for (const place of places) expect(page).toContain(` id="${place}"`);
  });

  test("has an example of a page, with one record, and of the description", () => {
    expect(text.match(/Example: .*/g)).toHaveLength(2);
    expect(text.match(/"model_name": "tf1"/g)).toHaveLength(1);
    expect(text).toContain(`"next": "${ORIGIN}/api/tf1/records/?format=api&page=2"`);
  });

  test("has commands with the origin of the deployment", () => {
    expect(text).toContain(`curl -si '${ORIGIN}/api/tf1/records/?page=2'`);
    expect(text).toContain(`curl -si -X OPTIONS '${ORIGIN}/api/tf1/records/'`);
    expect(page).not.toContain("origin.invalid");
  });
});

describe("the OpenAPI document", () => {
  const read = async (url: string, { fetch } = createInstance(service.store)) => {
    const response = await fetch(`${url}/openapi.json`);
    const text = await response.text();
    return { text, origin: JSON.parse(text).servers[0].url, etag: response.headers.get("etag") };
  };

  test("is that of the code, with the origin of the request as its server", async () => {
    expect((await read(ORIGIN)).text).toBe(JSON.stringify(describeService(ORIGIN)));
  });

  test.each(["https://a$&b.example", 'https://a"b.example', "https://a&b';id;'c.example"])(
    "and the reference contain the origin %s, but no quote that would end an argument of curl",
    async (origin) => {
      expect((await read(origin)).origin).toBe(origin);
      const page = await (await service.fetch(`${origin}/docs`)).text();
      const [, attribute = ""] = / data-url="([^"]*)" aria-label/.exec(page) ?? [];
      const url = `${origin.replaceAll("'", "%27")}/api/tf1/records/`;
      expect(extractText(attribute)).toBe(url);
      expect(extractText(page)).toContain(`curl -si '${url}?page=2'`);
    },
  );

  test("has its own text and entity-tag for every origin, in any order", async () => {
    const one = await read("https://one.example", service);
    const proxied = createInstance(service.store, { settings: { PUBLIC_ORIGIN: "https://p.example" } });
    const [two, again, replaced] = await Promise.all([
      read("http://two.example:8080", service),
      read("https://one.example", service),
      read("http://inside", proxied),
    ]);
    expect([one, two, replaced].map(({ origin }) => origin)).toEqual([
      "https://one.example",
      "http://two.example:8080",
      "https://p.example",
    ]);
    expect(again).toEqual(one);
    expect(new Set([one, two, replaced].map(({ etag }) => etag)).size).toBe(3);
  });
});
