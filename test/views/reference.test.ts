import { describe, expect, test } from "vitest";
import { OPTIONS } from "../../src/faults/option-table.ts";
import { createOpenApiDocument } from "../../src/openapi.ts";
import type { Schema } from "../../src/openapi-parts.ts";
import { escapeText } from "../../src/views/jsx-runtime.ts";
import { createInstance, createMemoryService, ORIGIN } from "../memory-service.ts";
import { extractText, IN_BROWSER } from "./html-view.ts";

const service = await createMemoryService();
const page = await (await service.fetch("/docs", IN_BROWSER)).text();
const text = extractText(page);

describe("the API reference", () => {
  test("contains the descriptions of the OpenAPI document as HTML, except for constant headers", () => {
    const { paths, components } = createOpenApiDocument(ORIGIN);
    const [list, options] = Object.values(paths).flatMap((item) => Object.values(item));
    const headers = Object.keys(list!.responses[200]!.headers).filter(
      (name) => components.headers[name]?.schema.const === undefined,
    );
    const { TrafficRecord, Page } = components.schemas;
    const fields = [TrafficRecord, Page].flatMap(({ properties }: Schema = {}) =>
      Object.entries(properties!),
    );
    const descriptions = [
      ...[list!, options!].flatMap(({ summary, description }) => [summary, description]),
      // The section about faults replaces the list of options in the description of `prefer`.
      ...list!.parameters.flatMap(({ name, description }) => (name === "prefer" ? [] : description)),
      ...Object.values(list!.responses).map(({ description }) => description),
      ...headers.flatMap((name) => components.headers[name]?.description ?? []),
      ...fields.flatMap(([name, { description = "" }]) => [name, String(description)]),
    ];
    expect(descriptions.length).toBeGreaterThan(50);
    const lines = descriptions.flatMap((markdown) => markdown.replaceAll(/^- /gm, "").split("\n"));
    for (const line of lines)
      expect(page).toContain(escapeText(line.trim()).replaceAll(/`(.*?)`/g, "<code>$1</code>"));
    expect(text).not.toContain("Access-Control-Max-Age");
  });

  test("shows the values of a schema as clients send them", () => {
    for (const values of [
      "query: integer ≥ 1 or <code>last</code>",
      "<code>&quot;True&quot;</code>, <code>&quot;False&quot;</code> or null",
      '<code>body=</code></a> <span class="quiet"><code>cut</code>, <code>slow</code>, ',
      '<code>cars</code></a> <span class="quiet">integer ≥ 0<',
      '<code>camera_pk</code></a> <span class="quiet">integer<',
    ])
      expect(page).toContain(values);
  });

  test("lists and suggests every option of prefer, with its description and its values", () => {
    for (const { example, description, expected } of Object.values(OPTIONS)) {
      expect(text).toContain(`${expected}${description}.`);
      expect(page).toContain(`<option value="${example}">`);
    }
  });

  test("has a link to each entry, and the target of each link", () => {
    const list = (pattern: RegExp) => Array.from(page.matchAll(pattern), ([, id]) => id);
    const links = list(/href="#([^"]+)"/g);
    const entries = list(/<div id="([^"]+)">/g);
    expect(new Set(entries).size).toBe(entries.length);
    expect(entries.length).toBeGreaterThan(50);
    expect(links).toEqual(expect.arrayContaining(["faults", "record-camera_ok", "fault-body", ...entries]));
    for (const id of links) expect(page).toContain(` id="${id}"`);
  });

  test("has an example of a page with one record", () => {
    expect(page).not.toContain("<details");
    expect(text.match(/"model_name": "tf1"/g)).toHaveLength(1);
    expect(text).toContain(`"next": "${ORIGIN}/api/tf1/records/?format=api&page=2"`);
  });
});

describe("the OpenAPI document", () => {
  test.each(["https://a$&b.example", 'https://a"b.example', "https://a&b';id;'c.example"])(
    "and the reference contain the origin %s, but no quote that would end an argument of curl",
    async (origin) => {
      const document = await (await service.fetch(`${origin}/openapi.json`)).json();
      expect(document).toMatchObject({ servers: [{ url: origin }] });
      const page = await (await service.fetch(`${origin}/docs`)).text();
      const [, attribute = ""] = / data-url="([^"]*)" aria-label/.exec(page) ?? [];
      const url = `${origin.replaceAll("'", "%27")}/api/tf1/records/`;
      expect(extractText(attribute)).toBe(url);
      expect(extractText(page)).toContain(`curl -si '${url}?page=2'`);
    },
  );

  test("has its own content and entity-tag for every origin", async () => {
    const proxied = createInstance(service.store, { settings: { PUBLIC_ORIGIN: "https://two.example" } });
    const one = await service.fetch("https://one.example/openapi.json");
    const two = await proxied.fetch("https://one.example/openapi.json");
    expect(await two.json()).toEqual(createOpenApiDocument("https://two.example"));
    expect(two.headers.get("etag")).not.toBe(one.headers.get("etag"));
  });
});
