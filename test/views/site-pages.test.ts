import { expect, test } from "vitest";
import { renderReference } from "../../tools/reference/reference-page.tsx";
import { PATH } from "../support/exchange.ts";
import { findLinks, IN_BROWSER, MARKUP } from "../support/html-view.ts";
import { createMemoryService, ORIGIN } from "../support/memory-service.ts";
import { makeRecords } from "../support/sample-records.ts";

/** The references of the cameras are markup. */
const markup = (index: number) => ({ camera_ref: MARKUP[index % MARKUP.length]! });
const records = makeRecords(100).map((record, index) => ({ ...record, ...markup(index) }));
const { fetch } = await createMemoryService(records);

const reference = renderReference();

/** All markup in one string. Each part would escape from a different place in a page. */
const text = encodeURIComponent(MARKUP.join(" "));

// biome-ignore format: a table of cases
test.each([
  "/", PATH, `${PATH}?x=TEXT&page=2`, `${PATH}?TEXT=1&page=last`, `${PATH}?page=TEXT`, `${PATH}?page=0&x=TEXT&TEXT=x`,
  `${PATH}?format=TEXT`, `${PATH}?prefer=TEXT`, "/TEXT", `${PATH}TEXT/?TEXT`, "/?TEXT=TEXT",
])("text of a request or of a record never becomes markup: %s", async (path) => {
  const page = await (await fetch(path.replaceAll("TEXT", text), IN_BROWSER)).text();
  expect(page).toMatch(/^<!doctype html>.*<\/html>$/s);
  expect(page).not.toMatch(/<\w+ class=injected/);
  expect(findLinks(page).filter((url) => url.startsWith("javascript:"))).toEqual([]);
});

test.each<[name: string, path: string, description: RegExp]>([
  ["the home page", "/", /^Road users counted by roadside cameras: a public stand-in /],
  ["the reference", "/docs", /^Counts of road users by roadside cameras/],
])("%s has a description for search engines, and an icon", async (_, path, description) => {
  const page = path === "/docs" ? reference : await (await fetch(path, IN_BROWSER)).text();
  expect(/<meta name="description" content="([^"]*)"/.exec(page)?.[1]).toMatch(description);
  expect(page).toMatch(/<link rel="icon" href="\/assets\/[^"]*\/icon\.svg" type="image\/svg\+xml"/);
});

test.each<[string, ...string[]]>([
  ["/", PATH, "/docs", "/docs#try"],
  [PATH, "/", "/docs"],
  ["/nowhere", "/", "/docs", PATH],
])("each link of %s works, and the page has a link to %s", async (path, ...expected) => {
  const page = await (await fetch(path, IN_BROWSER)).text();
  expect(page, "a button that only a script can use").not.toContain('<button type="button"');
  const isServed = (url: string) => /^\/(?!assets\/|LICENSE|docs|openapi\.json|.*prefer=)/.test(url);
  const urls = new Set(findLinks(page).filter(isServed));
  expect(findLinks(page)).toEqual(expect.arrayContaining(expected));
  for (const [, id] of page.matchAll(/href="\/docs#(.*?)"/g))
    expect(reference, `/docs#${id}`).toContain(` id="${id}"`);
  for (const url of urls)
    expect([200, 302], `${ORIGIN}${url}`).toContain((await fetch(url, IN_BROWSER)).status);
});
