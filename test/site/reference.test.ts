import { afterAll, beforeAll, expect, test } from "vitest";
import { describeService } from "../../src/openapi.ts";
import { type RunningWorker, startWorker } from "../worker.ts";
import { inBrowser } from "./browser-request.ts";

let worker: RunningWorker;
let page: string;
let text: string;
beforeAll(async () => {
  // The reference does not need the store.
  worker = await startWorker({ migrate: false });
  page = await (await worker.fetch("/docs", inBrowser())).text();
  text = page
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
});
afterAll(() => worker.close());

test("the page contains all text of the OpenAPI document", () => {
  const { paths, components } = describeService(worker.origin);
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const plain = (markdown: string) => markdown.replaceAll("`", "").replaceAll(/^- |\n- /gm, "");
  const facts = [
    ...Object.keys(paths),
    ...operations.flatMap(({ summary, parameters = [], responses }) => [
      summary,
      ...parameters.flatMap(({ name, description }) => [name, ...description.split("\n\n")]),
      ...Object.values(responses).flatMap(({ description, headers }) => [
        description,
        ...Object.keys(headers),
      ]),
    ]),
    ...Object.values(components.headers).map(({ description }) => description),
    ...Object.values(components.schemas).flatMap(({ properties }) =>
      Object.entries<{ description?: string }>(Object(properties)).flatMap(([name, { description = "" }]) => [
        name,
        description,
      ]),
    ),
  ];
  expect(facts.length).toBeGreaterThan(100);
  for (const fact of facts) for (const line of plain(fact).split("\n")) expect(text).toContain(line.trim());
});

test("the page contains every example of a request", () => {
  for (const query of ["", "?format=json&page=2", "?page=last", "?page=0", "?format=xml"])
    expect(text).toContain(`GET /api/tf1/records/${query}`);
});

test("the commands have the origin of the deployment", () => {
  expect(text).toContain(`curl -si '${worker.origin}/api/tf1/records/'`);
  expect(text).toContain(`curl -si -X OPTIONS '${worker.origin}/api/tf1/records/'`);
  expect(page).not.toContain("origin.invalid");
});

test("the page has no script except the one for copy buttons", () => {
  expect([...page.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)).toEqual([
    expect.stringMatching(/src="\/assets\/copy-\w+\.js"/),
  ]);
});

test("a request with the current ETag gets 304", async () => {
  const etag = (await worker.fetch("/docs", inBrowser())).headers.get("etag")!;
  expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
  const copy = await worker.fetch("/docs", { headers: { "if-none-match": etag } });
  expect(copy.status).toBe(304);
});

test("/docs/ redirects, and the template itself cannot be read", async () => {
  const redirect = await worker.fetch("/docs/");
  expect([redirect.status, redirect.headers.get("location")]).toEqual([301, "/docs"]);
  expect((await worker.fetch("/docs.html")).status).toBe(404);
});
