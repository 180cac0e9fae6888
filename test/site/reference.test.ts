import { describe, expect, test } from "vitest";
import { OPTIONS } from "../../src/faults/option-table.ts";
import { createOpenApiDocument, type Schema } from "../../src/openapi.ts";
import { createInstance, createMemoryService, ORIGIN } from "../memory-service.ts";
import { extractText, IN_BROWSER } from "./html-view.ts";

const service = await createMemoryService();
const page = await (await service.fetch("/docs", IN_BROWSER)).text();
const text = extractText(page);

describe("the API reference", () => {
  test("contains the text of the OpenAPI document, except that of small objects and of constant headers", () => {
    const { paths, components } = createOpenApiDocument(ORIGIN);
    const [list, describe] = Object.values(paths).flatMap((item) => Object.values(item));
    const plain = (markdown: string) => markdown.replaceAll("`", "").replaceAll(/^- |\n- /gm, "\n");
    const headers = Object.keys(list!.responses[200]!.headers).filter(
      (name) => components.headers[name]?.schema.const === undefined,
    );
    const facts = [
      ...[list!, describe!].flatMap(({ summary, description }) => [summary, description]),
      // Other operations have the same parameters and responses. The section about faults replaces the list in the description of `prefer`.
      ...list!.parameters.flatMap(({ name, description }) => (name === "prefer" ? [] : description)),
      ...Object.values(list!.responses).map(({ description }) => description),
      ...headers.flatMap((name) => components.headers[name]?.description ?? []),
      ...[components.schemas.TrafficRecord, components.schemas.Page].flatMap(({ properties }: Schema = {}) =>
        Object.entries<Schema>(Object(properties)).flatMap(([name, { description = "" }]) => [
          name,
          String(description),
        ]),
      ),
    ];
    expect(facts.length).toBeGreaterThan(50);
    for (const fact of facts) for (const line of plain(fact).split("\n")) expect(text).toContain(line.trim());
    expect(text).not.toContain("Access-Control-Max-Age");
  });

  test("shows code of the document as code, and the values of a schema as they are sent", () => {
    expect(page).toContain("1 is the newest, and <code>last</code> is the oldest. Absent");
    for (const values of [
      "query: integer ≥ 1 or <code>last</code>",
      "<code>&quot;True&quot;</code>, <code>&quot;False&quot;</code> or null",
      '<code>body=</code></a> <span class="quiet"><code>cut</code>, <code>slow</code>, ',
      '<code>cars</code></a> <span class="quiet">integer ≥ 0<',
      '<code>camera_pk</code></a> <span class="quiet">integer<',
    ])
      expect(page).toContain(values);
  });

  test("lists and suggests every fault, with what it does and its values", () => {
    for (const { example, description, value } of Object.values(OPTIONS)) {
      expect(text).toContain(`${value}${description}.`);
      expect(page).toContain(`<option value="${example}">`);
    }
    expect(text).toContain("code=503 a whole number from 400 to 599Responds");
  });

  test("with FAULTS off has no faults, and says so", async () => {
    const { fetch } = createInstance(service.store, { settings: { FAULTS: "off" } });
    const off = await (await fetch("/docs", IN_BROWSER)).text();
    expect(off).toContain("Faults are turned off in this deployment, so <code>prefer</code> has no effect");
    expect(off).not.toMatch(/code=503|[^>]\bprefer(ence)?\b/i);
    expect(await (await fetch(`${ORIGIN}/openapi.json`)).json()).toEqual(
      createOpenApiDocument(ORIGIN, false),
    );
    expect(text).not.toContain("Faults are off in this deployment");
  });

  test("has the place to which each of its links leads, and a link to each entry", () => {
    const list = (pattern: RegExp) => Array.from(page.matchAll(pattern), ([, place]) => place);
    const links = list(/href="#([^"]+)"/g);
    const entries = list(/<div id="([^"]+)">/g);
    expect(new Set(entries).size).toBe(entries.length);
    expect(entries.length).toBeGreaterThan(50);
    expect(links).toEqual(expect.arrayContaining(["faults", "record-camera_ok", "fault-body", ...entries]));
    for (const place of links) expect(page).toContain(` id="${place}"`);
  });

  test("has an open example of a page, with one record", () => {
    expect(page).not.toContain("<details");
    expect(text.match(/"model_name": "tf1"/g)).toHaveLength(1);
    expect(text).toContain(`"next": "${ORIGIN}/api/tf1/records/?format=api&page=2"`);
  });
});

describe("the OpenAPI document", () => {
  const read = async (url: string, { fetch } = createInstance(service.store)) => {
    const response = await fetch(`${url}/openapi.json`);
    const text = await response.text();
    return { text, origin: JSON.parse(text).servers[0].url, etag: response.headers.get("etag") };
  };

  test("is that of the code, with the origin of the request as its server", async () => {
    expect((await read(ORIGIN)).text).toBe(JSON.stringify(createOpenApiDocument(ORIGIN)));
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
    const proxied = createInstance(service.store, { settings: { PUBLIC_ORIGIN: "https://p.example" } });
    const origins = ["https://one.example", "http://two.example:8080", "https://one.example"];
    const documents = await Promise.all([
      ...origins.map((origin) => read(origin, service)),
      read("http://inside", proxied),
    ]);
    expect(documents.map(({ origin }) => origin)).toEqual([...origins, "https://p.example"]);
    expect(documents[2]).toEqual(documents[0]);
    expect(new Set(documents.map(({ etag }) => etag)).size).toBe(3);
  });
});
