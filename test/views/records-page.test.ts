import { expect, test } from "vitest";
import { Page, TrafficRecord } from "../../src/records/schema.ts";
import { PATH } from "../support/exchange.ts";
import { extractText, findLinks, IN_BROWSER } from "../support/html-view.ts";
import { createInstance, createMemoryService, ORIGIN } from "../support/memory-service.ts";
import { makeRecords } from "../support/sample-records.ts";

const service = await createMemoryService(makeRecords(100));

async function open(query: string): Promise<string> {
  const response = await service.fetch(PATH + query, IN_BROWSER);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  return response.text();
}

/** The text of all elements with a start tag, such as `th`. */
const readAll = (html: string, start: string, end: string) =>
  Array.from(html.matchAll(new RegExp(`<${start}.*?</${end}>`, "gs")), ([element]) => extractText(element));

test.each([
  ["with all counts", "?page=2"],
  ["without camera health", "?page=last"],
])("the table shows all fields of its records: %s", async (_, query) => {
  const page = await open(query);
  const headings = readAll(page, 'th scope="col"', "th");
  expect(headings.toSorted()).toEqual(TrafficRecord.keyof().options.toSorted());
  const { results } = Page.parse(await (await service.fetch(PATH + query)).json());
  expect(page).toMatch(/<h1 id="title">Records<.*<table class="records" aria-labelledby="title">/s);
  const rows = page.match(/<tr[^>]*><th scope="row".*?<\/tr>/gs) ?? [];
  expect(rows.map((row) => readAll(row, "t[hd]", "t[hd]"))).toEqual(
    results.map((record) => headings.map((name) => String(record[name as keyof TrafficRecord]))),
  );
});

test("the HTML view repeats the parameters of its request in a command and in a link to the JSON", async () => {
  const page = await open("?aformat=api&format=api&page=2");
  expect(extractText(page)).toContain(`curl -si '${ORIGIN}${PATH}?aformat=api&format=api&page=2'`);
  const raw = `${ORIGIN}${PATH}?aformat=api&format=json&page=2`;
  expect(findLinks(page)).toContain(raw);
  expect(await (await service.fetch(raw, IN_BROWSER)).json()).toMatchObject({ count: 100 });
});

test("the HTML view of an empty collection has no table", async () => {
  const empty = await createMemoryService();
  expect(await (await empty.fetch(PATH, IN_BROWSER)).text()).not.toContain("<table");
});

test("the HTML view counts as one request for `times`", async () => {
  const fault = `${PATH}?page=3&prefer=code=503,times=2`;
  const statuses = [];
  for (let request = 0; request < 3; request++)
    statuses.push((await service.fetch(fault, IN_BROWSER)).status);
  expect(statuses).toEqual([503, 503, 200]);
});

const MARKUP = "z=1&a=%22%3E%3Cb%3E";

test.each<[name: string, query: string, kept: string, pages: Record<string, string>]>([
  ["the first page", "", "", { "Next ›": "2", "Oldest »": "7" }],
  ["a middle page", "?page=2", "", { "« Newest": "1", "‹ Previous": "1", "Next ›": "3", "Oldest »": "7" }],
  ["the last page", "?page=last", "", { "« Newest": "1", "‹ Previous": "6" }],
  ["other parameters", `?page=7&${MARKUP}`, MARKUP, { "« Newest": "1", "‹ Previous": "6" }],
])("the HTML view links to the pages that a client finds in the JSON: %s", async (...row) => {
  const [, query, kept, pages] = row;
  const parts = /<nav class="row".*?<\/nav>|<code class="json">.*?<\/code>/gs;
  const [above, below, json] = (await open(query)).match(parts)!;
  const links = Array.from(above!.matchAll(/href="([^"]*)">(.*?)<\/a>/g), ([, url, name]) => {
    const { page, format: _, ...parameters } = Object.fromEntries(new URL(extractText(url!)).searchParams);
    return [name, page, parameters];
  });
  const parameters = Object.fromEntries(new URLSearchParams(kept));
  expect(links).toEqual(Object.entries(pages).map(([name, page]) => [name, page, parameters]));
  const { next, previous } = Page.parse(await (await service.fetch(PATH + query)).json());
  expect(findLinks(below!)).toEqual([previous, next].filter((url) => url !== null));
  expect(findLinks(json!)).toEqual([next, previous].filter((url) => url !== null));
});

const SLOW = { PREFER: "delay=1" };
const HERE = `${ORIGIN}${PATH}`;

const NO_EFFECT = "No option affected this response.";

// biome-ignore format: a table of cases
test.each<[name: string, settings: object, query: string, prefer: string, text: string, links: string[]]>([
  ["nothing applied", {}, "", "", "", []],
  ["in the query", {}, "?prefer=delay=1&page=3", "", "response: delay=1", [`${HERE}?page=3`]],
  ["in a header, which no link can change", {}, "", "delay=1", "delay=1", []],
  ["an invalid header", {}, "", "count=0", "count=0 is invalid", []],
  ["by default", SLOW, "?page=3", "", "by the setting PREFER of this deployment: delay=1", [`${HERE}?page=3&prefer=none`]],
  ["by default, and in the query", SLOW, "?prefer=delay=2", "", "response: delay=2", [`${HERE}?prefer=none`]],
  ["a condition that is not met", {}, "?page=3&prefer=on=2,code=503", "", NO_EFFECT, ["/docs#fault-on", `${HERE}?page=3`]],
  ["... on an error", {}, "?page=99&prefer=on=2", "", NO_EFFECT, ["/docs#fault-on", `${HERE}?page=99`]],
  ["... of each rule", {}, "?prefer=on=2,hang,else,until=2019-01-01T00:00:00Z,hang", "", NO_EFFECT, ["/docs#fault-on", "/docs#fault-until", HERE]],
  ["nothing to change", {}, "?page=last&prefer=next=skip", "", NO_EFFECT, [`${HERE}?page=last`]],
  ["an invalid option", {}, "?prefer=code=5", "", "", []],
  ["turned off", SLOW, "?page=3&prefer=none", "", "", []],
  ["turned off for all", { ...SLOW, FAULTS: "off" }, "?page=3&prefer=code=503", "", "this response: faults are turned off.", []],
  ["in the form of the parameter", {}, "?prefer=grow=15/m,count=%2B1,on=1,3-4", "", ": count=1, grow=15/m, on=1,3-4", ["#count", HERE]],
  ["a rule", {}, "?prefer=on=9,hang,else,delay=1", "", "response, by rule 2 of 2: delay=1", [HERE]],
  ["a lower count", {}, "?prefer=count=-5", "", ": count=-5", ["#count", HERE]],
])("a banner shows the options that were applied, and how to avoid them: %s", async (...row) => {
  const [, settings, query, prefer, text, links] = row;
  const { fetch } = createInstance(service.store, { settings });
  const page = await (await fetch(PATH + query, { headers: { ...IN_BROWSER.headers, prefer } })).text();
  const banners = page.match(/<(p|div) class="banner">.*?<\/\1>/gs) ?? [];
  expect(banners).toHaveLength(text === "" ? 0 : 1);
  expect(extractText(banners.join(""))).toContain(text);
  expect(findLinks(banners.join(""))).toEqual(links);
});
