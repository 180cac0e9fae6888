import { describe, expect, test } from "vitest";
import { Page, TrafficRecord } from "../../src/records/record.ts";
import { createInstance, createMemoryService, ORIGIN } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { extractText, findLinks, IN_BROWSER } from "./html-view.ts";

const PATH = "/api/tf1/records/";

const service = await createMemoryService(makeRecords(100));

async function open(query: string): Promise<string> {
  const response = await service.fetch(PATH + query, IN_BROWSER);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  return response.text();
}

const findBanners = (page: string) => page.match(/<p class="banner">.*?<\/p>/g) ?? [];

/** The text of all elements with a start tag, such as `th`. */
const readAll = (html: string, start: string, end: string) =>
  Array.from(html.matchAll(new RegExp(`<${start}.*?</${end}>`, "gs")), ([element]) => extractText(element));

describe("the HTML view of a page", () => {
  test.each(["?page=2", "?page=last"])("%s shows all fields of its records", async (query) => {
    const page = await open(query);
    const headings = readAll(page, 'th scope="col"', "th");
    expect(headings.toSorted()).toEqual(TrafficRecord.keyof().options.toSorted());
    const { results } = Page.parse(await (await service.fetch(PATH + query)).json());
    const rows = page.match(/<tr[^>]*><th scope="row".*?<\/tr>/gs) ?? [];
    expect(rows.map((row) => readAll(row, "t[hd]", "t[hd]"))).toEqual(
      results.map((record) => headings.map((name) => String(record[name as keyof TrafficRecord]))),
    );
    expect(page.includes("means that camera health was not recorded")).toBe(query === "?page=last");
  });

  test("shows its curl command, and links to its JSON with the parameters of the request", async () => {
    const query = "?aformat=api&format=api&page=2";
    const page = await open(query);
    expect(extractText(page)).toContain(`curl -si '${ORIGIN}${PATH}${query}'`);
    const raw = findLinks(page).find((url) => url.includes("format=json"))!;
    expect(raw).toMatch(/\?aformat=api&format=json&page=2$/);
    expect(await (await service.fetch(raw, IN_BROWSER)).json()).toMatchObject({ count: 100 });
  });

  test("shows that the collection is empty", async () => {
    const empty = await createMemoryService();
    expect(await (await empty.fetch(PATH, IN_BROWSER)).text()).toContain("The collection is empty.");
  });

  test("counts as one request", async () => {
    const fault = `${PATH}?page=3&prefer=code=503,times=2`;
    const statuses = [];
    for (let request = 0; request < 3; request++)
      statuses.push((await service.fetch(fault, IN_BROWSER)).status);
    expect(statuses).toEqual([503, 503, 200]);
  });

  const QUERY = "z=1&a=%22%3E%3Cb%3E";

  test.each([
    ["", "", { "Next ›": "2", "Oldest »": "7" }],
    ["?page=2", "", { "« Newest": "1", "‹ Previous": "1", "Next ›": "3", "Oldest »": "7" }],
    ["?page=last", "", { "« Newest": "1", "‹ Previous": "6" }],
    [`?page=6&${QUERY}`, QUERY, { "« Newest": "1", "‹ Previous": "5", "Next ›": "7", "Oldest »": "7" }],
    ["?chosen=2020-01-01&jump-date=x", "chosen=2020-01-01", { "Next ›": "2", "Oldest »": "7" }],
  ])("%s has links with %j to the pages %j, and below the records to its neighbors", async (...row) => {
    const [query, kept, pages] = row;
    const [above, below, json] = (await open(query)).match(
      /<nav class="row".*?<\/nav>|<code class="json">.*?<\/code>/gs,
    )!;
    const links = Array.from(above!.matchAll(/href="([^"]*)">(.*?)<\/a>/g), ([, url, name]) => {
      const { page, format: _, ...parameters } = Object.fromEntries(new URL(extractText(url!)).searchParams);
      return [name, page, parameters];
    });
    const parameters = Object.fromEntries(new URLSearchParams(kept));
    expect(links).toEqual(Object.entries(pages).map(([name, page]) => [name, page, parameters]));
    const { next, previous } = Page.parse(await (await service.fetch(PATH + query)).json());
    expect(findLinks(below!)).toEqual([previous, next].filter((url) => url !== null));
    expect(findLinks(json!), "in the response").toEqual([next, previous].filter((url) => url !== null));
  });
});

const APPLIED = "Applied to this response: delay=1.";
const WITHOUT = `${APPLIED} Show the page without faults`;
const SLOW = { PREFER: "delay=1" };

test.each<[object, query: string, prefer: string, text: string | undefined, link: string | undefined]>([
  [{}, "", "", undefined, undefined],
  [{}, "?prefer=delay=1&page=3", "", WITHOUT, "?page=3"],
  [{}, "", "delay=1", `${APPLIED} `, undefined],
  [{}, "", "count=0", "count=0 is invalid: count must be an integer except 0, such as 1 or -5.", undefined],
  [SLOW, "?page=3", "", WITHOUT, "?page=3&prefer=none"],
  [SLOW, "?page=3&prefer=delay=1", "", WITHOUT, "?page=3&prefer=none"],
  [SLOW, "?page=3&prefer=none", "", undefined, undefined],
])("with the settings %j, %s and Prefer: %j, the banner is %j", async (...row) => {
  const [settings, query, prefer, text, link] = row;
  const { fetch } = createInstance(service.store, { settings });
  const response = await fetch(PATH + query, { headers: { ...IN_BROWSER.headers, prefer } });
  const [banner, ...others] = findBanners(await response.text());
  expect([banner && extractText(banner), others]).toEqual([text, []]);
  expect(findLinks(banner ?? "")).toEqual(link === undefined ? [] : [`${ORIGIN}${PATH}${link}`]);
});
