import { describe, expect, test, vi } from "vitest";
import { Page, TrafficRecord } from "../../src/records/record.ts";
import { FixedLengthStream } from "../../tools/package/network.ts";
import { createInstance, createMemoryService, ORIGIN } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { IN_BROWSER } from "./web-page.ts";

const PATH = "/api/tf1/records/";
const COUNT = 100;

const service = await createMemoryService(makeRecords(COUNT));

async function open(query: string): Promise<string> {
  const response = await service.fetch(PATH + query, IN_BROWSER);
  expect(response.status).toBe(200);
  return response.text();
}

async function read(query: string): Promise<Page> {
  return Page.parse(await (await service.fetch(PATH + query)).json());
}

const decode = (text: string) =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
const toText = (html: string) => decode(html.replaceAll(/<[^>]+>/g, ""));
const links = (page: string) => Array.from(page.matchAll(/href="([^"]*)"/g), ([, url]) => decode(url!));

/** The text of each cell of the rows of the table. */
const readRows = (page: string) =>
  Array.from(page.matchAll(/<tr[^>]*>(<th scope="row".*?)<\/tr>/gs), ([, row]) =>
    Array.from(row!.matchAll(/<t[hd].*?<\/t[hd]>/gs), ([cell]) => toText(cell)),
  );

describe("a page of the collection in a browser", () => {
  test.each(["?page=2", "?page=last"])("%s shows all fields of its records", async (query) => {
    const page = await open(query);
    const headings = Array.from(page.matchAll(/<th scope="col".*?<\/th>/g), ([heading]) => toText(heading));
    expect([...headings].sort()).toEqual(TrafficRecord.keyof().options.toSorted());
    const { results } = await read(query);
    const fields = results.map((record) =>
      headings.map((name) => String(record[name as keyof TrafficRecord])),
    );
    expect(readRows(page)).toEqual(fields);
    expect(page.includes("it was not recorded whether the camera worked")).toBe(query === "?page=last");
  });

  test("shows the response to a client: the command, the headers and the body", async () => {
    const page = await open("?page=2&x=1");
    expect(toText(page)).toContain(`curl -si '${ORIGIN}${PATH}?format=api&page=2&x=1'`);
    const response = await service.fetch(`${PATH}?format=api&page=2&x=1`);
    const [, headers, body] = toText(page).match(/(HTTP 200 OK\n.*?)\n\n(\{.*\})/s)!;
    for (const name of ["Allow", "Content-Type", "Vary", "ETag", "Cache-Control"])
      expect(headers).toContain(`\n${name}: ${response.headers.get(name)}`);
    expect(JSON.parse(body!)).toEqual(await response.json());
    const raw = links(page).find((url) => url.includes("format=json"))!;
    expect(await (await service.fetch(raw, IN_BROWSER)).json()).toMatchObject({ count: COUNT });
  });

  test.each(["delay=1", "delay=1,code=wrong"])(
    "shows the headers that Prefer: %s changes",
    async (prefer) => {
      const page = await (await service.fetch(PATH, { headers: { ...IN_BROWSER.headers, prefer } })).text();
      const { headers } = await service.fetch(PATH, { headers: { prefer } });
      const [, shown] = /HTTP 200 OK\n(.*?)\n\n/s.exec(page) ?? [];
      const lines = toText(shown!).split("\n");
      const names = lines.map((line) => line.split(":")[0]!);
      expect(names).toContain("Preference-Applied");
      expect(names).not.toContain("ETag");
      expect(lines).toEqual(names.map((name) => `${name}: ${headers.get(name)}`));
    },
  );

  test.each<[string, string, string | undefined]>([
    ["count=+20", "120 records, newest first: page 2 of 8\\.", undefined],
    ["next=skip", 'rel="next" href="https://[^"]*page=4[^"]*"', undefined],
    ["next=null", '<span class="button off">Next ›</span>', undefined],
    ["record=missing,seed=3", ">missing</td>", ">missing</td>.*>missing</td>"],
    ["record=float,seed=3", ">\\d+\\.5</td>", undefined],
    ["rows=drop,seed=1", '(<th scope="row".*?){14}', '(<th scope="row".*?){15}'],
  ])("shows with %s what the client gets", async (fault, shown, hidden) => {
    const query = `?format=api&page=2&prefer=${encodeURIComponent(fault)}`;
    const page = await open(query);
    expect(page.replaceAll("&amp;", "&")).toMatch(new RegExp(shown, "s"));
    if (hidden !== undefined) expect(page).not.toMatch(new RegExp(hidden, "s"));
    const [, body] = /<code class="json">(.*?)<\/code>/s.exec(page) ?? [];
    expect(JSON.parse(toText(body!))).toEqual(await (await service.fetch(PATH + query)).json());
  });

  test.each([
    ["empty", ""],
    ["garbage", '{"count": 1, "results": [{"id": ]}} <not json>'],
    ["cut", '{"count":100,"next":'],
  ])("shows the broken body of body=%s as text", async (fault, start) => {
    vi.stubGlobal("FixedLengthStream", FixedLengthStream);
    const response = await service.fetch(`${PATH}?page=2&prefer=body=${fault}`, IN_BROWSER);
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    const page = await response.text();
    expect(page).toContain("<title>Records, page 2 · ");
    const [, body = ""] = /.*<code>([^<]*)<\/code><\/pre>/s.exec(page) ?? [];
    expect(decode(body).startsWith(start)).toBe(true);
    expect(() => JSON.parse(decode(body))).toThrow();
    vi.unstubAllGlobals();
  });

  test("counts as one request", async () => {
    const fault = `${PATH}?page=3&prefer=code=503,times=2`;
    const statuses = [];
    for (let request = 0; request < 3; request++)
      statuses.push((await service.fetch(fault, IN_BROWSER)).status);
    expect(statuses).toEqual([503, 503, 200]);
  });

  test.each([
    ["", [2, 7], []],
    ["?page=2", [1, 3, 7], []],
    ["?page=last", [1, 6], []],
    ["?page=2&z=1&a=%22%3E%3Cb%3E", [1, 3, 7], ["a=%22%3E%3Cb%3E&", "&z=1"]],
  ])("%s links to pages %j, above and below the records", async (query, pages, kept) => {
    const [above, below] = (await open(query)).match(/<nav class="row".*?<\/nav>/gs)!.map(links);
    expect(above).toEqual(below);
    expect([...new Set(above!.map((url) => Number(new URL(url).searchParams.get("page"))))]).toEqual(pages);
    for (const url of above!) for (const part of kept) expect(url).toContain(part);
    for (const url of above!) expect((await service.fetch(url)).status).toBe(200);
  });
});

describe("the banners of a page", () => {
  test.each([
    ["", []],
    ["?prefer=delay=1&page=3", [["A preference changed the response", "delay=1", "?page=3"]]],
  ])("of %j are %j", async (query, expected) => {
    const page = await open(query);
    const banners = [...page.matchAll(/<p class="banner">(.*?)<\/p>/g)].map(([, banner]) => banner!);
    expect(banners).toHaveLength(expected.length);
    for (const [index, [title, fact, link]] of expected.entries()) {
      expect(toText(banners[index]!)).toContain(title);
      expect(toText(banners[index]!)).toContain(fact);
      if (link !== undefined) expect(banners[index]).toContain(`href="${PATH}${link}"`);
    }
  });

  test.each([
    ["delay=1", /<code>delay=1<\/code>/],
    ["dealy=1", /^dealy=1 is unknown\. Did you mean delay\?$/],
  ])("about the header Prefer: %s have no link", async (prefer, text) => {
    const headers = { ...IN_BROWSER.headers, prefer };
    const page = await (await service.fetch(PATH, { headers })).text();
    const [, banner] = /<p class="banner">(.*?)<\/p>/.exec(page) ?? [];
    expect(banner).toMatch(text);
    expect(banner).not.toContain("<a ");
  });

  test("lead to the page without the faults of the deployment", async () => {
    const { fetch } = createInstance(service.store, { settings: { PREFER: "delay=1" } });
    const read = async (query: string) => (await fetch(PATH + query, IN_BROWSER)).text();
    expect(await read("?page=3")).toContain(
      `<code>delay=1</code>. <a href="${PATH}?page=3&amp;prefer=none">`,
    );
    expect(await read("?page=3&prefer=code=503")).toContain(`<a href="${PATH}?page=3&amp;prefer=none">`);
    expect(await read("?page=3&prefer=none")).not.toContain("A preference changed");
  });
});

test("a page counts one record", async () => {
  const { fetch } = await createMemoryService(makeRecords(1));
  const page = await (await fetch(PATH, IN_BROWSER)).text();
  expect(toText(page)).toContain("1 record, newest first: page 1 of 1.");
});
