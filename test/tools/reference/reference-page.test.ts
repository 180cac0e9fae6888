import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CONDITION_NAMES, DESCRIPTIONS, SHARED_NAMES } from "../../../src/faults/option-table.ts";
import { HTML_HEADERS } from "../../../src/http/headers.ts";
import { OPENAPI_DOCUMENT } from "../../../tools/reference/openapi.ts";
import { renderReference } from "../../../tools/reference/reference-page.tsx";
import { extractText, findLinks } from "../../support/html-view.ts";

const page = renderReference();
const list = (pattern: RegExp) => Array.from(page.matchAll(pattern), ([, text]) => text);

test("the reference describes each parameter, status, field, header and fault", () => {
  const { paths, components } = OPENAPI_DOCUMENT;
  const { parameters, responses } = paths["/api/tf1/records/"].get;
  const { TrafficRecord, Page, Error: ErrorBody } = components.schemas;
  const names = {
    parameter: parameters.map(({ name }) => name),
    response: [...Object.keys(responses).filter((status) => status !== "default"), "Other"],
    record: Object.keys(TrafficRecord!.properties!),
    page: Object.keys(Page!.properties!),
    error: Object.keys(ErrorBody!.properties!),
    header: Object.keys(components.headers),
    fault: Object.keys(DESCRIPTIONS),
  };
  const ids = Object.entries(names).flatMap(([kind, all]) => all.map((name) => `${kind}-${name}`));
  expect(list(/<div id="([^"]+)">/g).sort()).toEqual(ids.sort());
  const targets = list(/ id="([^"]+)"/g);
  expect(new Set(targets).size, "no id is there twice").toBe(targets.length);
  expect(page).not.toContain("<dd></dd>");
});

test("the reference has faults first, then conditions, the options of all rules, and else", () => {
  const [, ...groups] = page.slice(page.indexOf('id="faults"')).split("<h3>");
  const names = groups.map((group) => Array.from(group.matchAll(/id="fault-([^"]+)"/g), ([, name]) => name));
  expect(names.slice(1)).toEqual([CONDITION_NAMES, SHARED_NAMES, ["else"]]);
});

test("each example of a fault is a link to its response", () => {
  const examples = Object.values(DESCRIPTIONS).flatMap(({ examples }) => Object.keys(examples));
  const linked = findLinks(page).map((url) => new URL(url, "http://localhost").searchParams.get("prefer"));
  expect(linked).toEqual(expect.arrayContaining(examples));
});

test.each([
  ["a parameter", "query: integer ≥ 1 or <code>last</code>"],
  ["the options of prefer", "query: string"],
  ["the records of a page", '<code>results</code></a> <span class="quiet">array of records<'],
  ["the headers of a 429", '<code>429</code></a> <span class="quiet">Retry-After<'],
  ["a string or null", "<code>&quot;True&quot;</code>, <code>&quot;False&quot;</code> or null"],
  ["a fault", '<code>body</code></a> <span class="quiet">cut, slow, garbage, empty or html<'],
  ["a count", '<code>cars</code></a> <span class="quiet">integer ≥ 0<'],
  ["an id", '<code>camera_pk</code></a> <span class="quiet">integer<'],
])("the reference shows the values of %s as clients send or get them", (_, expected) =>
  expect(page).toContain(expected),
);

test("the example has one record, so that the reference stays short, and says so", () => {
  const text = extractText(page);
  expect(text.match(/"model_name": "tf1"/g)).toHaveLength(1);
  expect(text).toContain("shortened to one of 15 records");
});

test("the platform sends the reference with the policies of all other pages", () => {
  const [, rules] = /^\/docs\n((?: {2}.+\n)+)/m.exec(readFileSync("public/_headers", "utf8"))!;
  expect(rules).toContain(`  Content-Security-Policy: ${HTML_HEADERS["Content-Security-Policy"]}\n`);
  expect(rules).toContain(`  Referrer-Policy: ${HTML_HEADERS["Referrer-Policy"]}\n`);
});
