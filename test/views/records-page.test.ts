import { expect, test } from "vitest";
import { Page, TrafficRecord } from "../../src/records/schema.ts";
import { PATH } from "../support/exchange.ts";
import { extractText, findLinks, IN_BROWSER, MARKUP } from "../support/html-view.ts";
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
  const rows = page.match(/<tr[^>]*><th scope="row".*?<\/tr>/gs) ?? [];
  expect(rows.map((row) => readAll(row, "t[hd]", "t[hd]"))).toEqual(
    results.map((record) => headings.map((name) => String(record[name as keyof TrafficRecord]))),
  );
  const failing = results.map(({ camera_ok }) => camera_ok === "False");
  expect(rows.map((row) => row.includes('class="failing"'))).toEqual(failing);
});

test("the HTML view counts as one request for `times`, and says when that is used up", async () => {
  const fault = `${PATH}?page=3&prefer=code=503,times=2`;
  const pages: string[] = [];
  for (let request = 0; request < 3; request++)
    pages.push(await (await service.fetch(fault, IN_BROWSER)).text());
  expect(pages.map((page) => page.includes("used up"))).toEqual([false, false, true]);
});

const OTHERS = "z=1&a=%22%3E%3Cb%3E";

test.each<[name: string, query: string, kept: string, pages: Record<string, string>]>([
  ["the first page", "", "", { "Next ›": "2", "Oldest »": "7" }],
  ["a middle page", "?page=2", "", { "« Newest": "1", "‹ Previous": "1", "Next ›": "3", "Oldest »": "7" }],
  ["the last page", "?page=last", "", { "« Newest": "1", "‹ Previous": "6" }],
  ["other parameters", `?page=7&${OTHERS}`, OTHERS, { "« Newest": "1", "‹ Previous": "6" }],
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

// biome-ignore format: a table of cases
test.each<[name: string, settings: object, query: string, prefer: string, links: string[], text?: string]>([
  ["nothing asked", {}, "", "", []],
  ["in the query", {}, "?prefer=delay=7&page=3", "", ["delay", `${HERE}?page=3`], "7 ms"],
  ["in a header, which no link can change", {}, "", "delay=1", ["delay"], "1 ms"],
  ["an invalid header", {}, "", "count=0", [], "count=0 is invalid"],
  ["an invalid header, and by default nothing", { PREFER: "," }, "", "count=0", [], "count=0 is invalid"],
  ["by default", SLOW, "?page=3", "", ["delay", `${HERE}?page=3&prefer=none`], "PREFER"],
  ["by default, and in the query", SLOW, "?prefer=delay=2", "", ["delay", `${HERE}?prefer=none`], "2 ms"],
  ["a condition that is not met", {}, "?page=3&prefer=on=2,code=503", "", ["on", `${HERE}?page=3`]],
  ["... on an error, which stays without it", {}, "?page=99&prefer=on=2", "", ["on"]],
  ["... of each rule", {}, "?prefer=on=2,hang,else,until=2019-01-01T00:00:00Z,hang", "", ["on", "until", HERE], "Rule 2"],
  ["a rule that is no fault", {}, "?page=3&prefer=on=3,none,else,code=503", "", ["on", "none", `${HERE}?page=3`], "Rule 1 of 2"],
  ["nothing to change", {}, "?page=last&prefer=next=skip", "", ["next", `${HERE}?page=last`]],
  ["a seed without a choice", {}, "?prefer=seed=4", "", ["seed", HERE]],
  ["hidden records", {}, "?prefer=grow=15/m", "", ["grow", HERE], "for now"],
  ["a hidden page", {}, "?page=7&prefer=grow=15/m", "", ["grow", `${HERE}?page=7`], "by the clock, from part of the loaded records to all. Show"],
  ["an invalid option", {}, "?prefer=code=5", "", []],
  ["turned off", SLOW, "?page=3&prefer=none", "", ["none"]],
  ["turned off by default", { PREFER: "none" }, "?page=3", "", ["none"], "PREFER"],
  ["turned off, and not asked for", { ...SLOW, FAULTS: "off" }, "?page=3", "", []],
  ["turned off for all", { ...SLOW, FAULTS: "off" }, "?page=3&prefer=code=503", "", [], "turned off"],
  ["two changes", {}, "?prefer=next=null,count=%2B1,on=1,3-4", "", ["count", "#count", "next", "#next", "on", HERE]],
  ["a rule", {}, "?prefer=on=9,hang,else,delay=1", "", ["on", "delay", HERE], "Rule 2 of 2"],
])("a banner explains each option, and leads to the page without faults: %s", async (...row) => {
  const [, settings, query, prefer, links, text = ""] = row;
  const { fetch } = createInstance(service.store, { settings, now: () => Date.UTC(2026, 0, 1) });
  const page = await (await fetch(PATH + query, { headers: { ...IN_BROWSER.headers, prefer } })).text();
  const banners = page.match(/<(p|div) class="banner">.*?<\/\1>/gs) ?? [];
  expect(banners).toHaveLength(links.length > 0 || text !== "" ? 1 : 0);
  expect(extractText(banners.join(""))).toContain(text);
  const isOption = (link: string) => /^[a-z]/.test(link) && !link.startsWith("https:");
  expect(findLinks(banners.join(""))).toEqual(links.map((link) => (isOption(link) ? `/docs#fault-${link}` : link)));
});

/** All markup in one string. Each part would escape from a different place in a page. */
const text = encodeURIComponent(MARKUP.join(" "));
const withMarkup = makeRecords(100).map((record, index) => {
  return { ...record, camera_ref: MARKUP[index % MARKUP.length]! };
});
const markup = await createMemoryService(withMarkup);

// biome-ignore format: a table of cases
test.each([
  "/", PATH, `${PATH}?x=TEXT&page=2`, `${PATH}?TEXT=1&page=last`, `${PATH}?page=TEXT`, `${PATH}?page=0&x=TEXT&TEXT=x`,
  `${PATH}?format=TEXT`, `${PATH}?prefer=TEXT`, "/TEXT", `${PATH}TEXT/?TEXT`, "/?TEXT=TEXT",
])("text of a request or of a record never becomes markup: %s", async (path) => {
  const page = await (await markup.fetch(path.replaceAll("TEXT", text), IN_BROWSER)).text();
  expect(page).toMatch(/^<!doctype html>.*<\/html>$/s);
  expect(page).not.toMatch(/<\w+ class=injected/);
  expect(findLinks(page).filter((url) => url.startsWith("javascript:"))).toEqual([]);
});
