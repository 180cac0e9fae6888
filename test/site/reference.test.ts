import { expect, test } from "vitest";
import { MOCK_OPTIONS } from "../../src/mock/options.ts";
import { describeService, type Schema } from "../../src/openapi.ts";
import { createMemoryService, ORIGIN } from "../memory-service.ts";
import { inBrowser } from "./browser-request.ts";

const decode = (html: string) =>
  html.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");

const service = await createMemoryService();
const page = await (await service.fetch("/docs", inBrowser())).text();
const text = decode(page.replaceAll(/<[^>]+>/g, ""));

test("the page contains the text of the OpenAPI document, except that of OPTIONS and small objects", () => {
  const { paths, components } = describeService(ORIGIN);
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  // Other operations have the same parameters and responses.
  const [list] = operations;
  const plain = (markdown: string) => markdown.replaceAll("`", "").replaceAll(/^- |\n- /gm, "\n");
  const facts = [
    ...operations.flatMap(({ summary, description }) => [summary, description]),
    ...[list!].flatMap(({ parameters, responses }) => [
      // The table of faults replaces the list in the description of `prefer`.
      ...parameters.flatMap(({ name, description }) => (name === "prefer" ? [] : description.split("\n\n"))),
      ...Object.values(responses).map(({ description }) => description),
    ]),
    ...Object.values(components.headers).map(({ description }) => description),
    ...[components.schemas.TrafficRecord, components.schemas.Page].flatMap(({ properties }: Schema = {}) =>
      Object.entries<{ description?: string }>(Object(properties)).flatMap(([name, { description = "" }]) => [
        name,
        description,
      ]),
    ),
  ];
  expect(facts.length).toBeGreaterThan(60);
  for (const fact of facts) for (const line of plain(fact).split("\n")) expect(text).toContain(line.trim());
});

test("code in the text of the document is code on the page", () => {
  expect(page).toContain("1 is the newest, and <code>last</code> is the oldest. Absent");
});

test("the page lists every fault with what it does and its values", () => {
  for (const { example, description, value } of Object.values(MOCK_OPTIONS))
    expect(text).toContain(`${example} ${value}${description}.`);
});

test("the page has an example of a page, with one record, and of the description", () => {
  expect(text.match(/Example: .*/g)).toHaveLength(2);
  expect(text.match(/"model_name": "tf1"/g)).toHaveLength(1);
  expect(text).toContain(`"next": "${ORIGIN}/api/tf1/records/?format=api&page=2"`);
});

test("the commands have the origin of the deployment", () => {
  expect(text).toContain(`curl -si '${ORIGIN}/api/tf1/records/?page=2'`);
  expect(text).toContain(`curl -si -X OPTIONS '${ORIGIN}/api/tf1/records/'`);
  expect(page).not.toContain("origin.invalid");
});
