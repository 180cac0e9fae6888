import { readFileSync } from "node:fs";
import { html } from "hono/html";
import { expect, test } from "vitest";
import { OPTIONS } from "../../src/faults/option-table.ts";
import { OPENAPI_DOCUMENT } from "../../src/openapi.ts";
import type { Schema } from "../../src/openapi-parts.ts";
import { HTML_HEADERS } from "../../src/views/html-middleware.ts";
import { renderReference } from "../../src/views/reference/reference-page.tsx";
import { extractText } from "./html-view.ts";

const page = renderReference(OPENAPI_DOCUMENT);
const text = extractText(page);

test("the reference contains the descriptions of the OpenAPI document, except for constant headers", () => {
  const { paths, components } = OPENAPI_DOCUMENT;
  const [list, options] = Object.values(paths).flatMap((item) => Object.values(item));
  const headers = Object.keys(list!.responses[200]!.headers).filter(
    (name) => components.headers[name]?.schema.const === undefined,
  );
  const { TrafficRecord, Page } = components.schemas;
  const fields = [TrafficRecord, Page].flatMap(({ properties }: Schema = {}) => Object.entries(properties!));
  const descriptions = [
    ...[list!, options!].flatMap(({ summary, description }) => [summary, description]),
    // The section about faults replaces the list of options in the description of `prefer`.
    ...list!.parameters.flatMap(({ name, description }) => (name === "prefer" ? [] : description)),
    ...Object.values(list!.responses).map(({ description }) => description),
    ...headers.flatMap((name) => components.headers[name]?.description ?? []),
    ...fields.flatMap(([name, { description = "" }]) => [name, String(description)]),
    ...Object.values(OPTIONS).map(({ description }) => description),
  ];
  expect(descriptions.length).toBeGreaterThan(50);
  const lines = descriptions.flatMap((markdown) => markdown.replaceAll(/^- /gm, "").split("\n"));
  for (const line of lines)
    expect(page).toContain(String(html`${line.trim()}`).replaceAll(/`(.*?)`/g, "<code>$1</code>"));
  expect(text).not.toContain("Access-Control-Max-Age");
});

test("the reference shows values as clients send them, and one record as an example", () => {
  for (const values of [
    "query: integer ≥ 1 or <code>last</code>",
    "<code>&quot;True&quot;</code>, <code>&quot;False&quot;</code> or null",
    '<code>body=</code></a> <span class="quiet"><code>cut</code>, <code>slow</code>, ',
    '<code>cars</code></a> <span class="quiet">integer ≥ 0<',
    '<code>camera_pk</code></a> <span class="quiet">integer<',
    '<option value="delay=200-800">',
  ])
    expect(page).toContain(values);
  expect(text.match(/"model_name": "tf1"/g)).toHaveLength(1);
});

test("the reference has a link to each entry, and the target of each link", () => {
  const list = (pattern: RegExp) => Array.from(page.matchAll(pattern), ([, id]) => id);
  const links = list(/href="#([^"]+)"/g);
  const entries = list(/<div id="([^"]+)">/g);
  expect(new Set(entries).size).toBe(entries.length);
  expect(entries.length).toBeGreaterThan(50);
  expect(links).toEqual(expect.arrayContaining(["faults", "record-camera_ok", "fault-body", ...entries]));
  for (const id of links) expect(page).toContain(` id="${id}"`);
});

test("the platform sends the reference with the policies of all other pages", () => {
  const [, rules] = /^\/docs\n((?: {2}.+\n)+)/m.exec(readFileSync("src/views/assets/_headers", "utf8"))!;
  const { "Content-Type": _, ...policies } = HTML_HEADERS;
  expect(rules).toBe(
    Object.entries(policies)
      .map(([name, value]) => `  ${name}: ${value}\n`)
      .join(""),
  );
});
