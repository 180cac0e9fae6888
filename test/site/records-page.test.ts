import { beforeAll, describe, expect, test } from "vitest";
import { CSV_HEADER, csvLine } from "../../data/formats/csv.ts";
import app from "../../src/index.ts";
import { Page, ROAD_USERS } from "../../src/records/record.ts";
import { makeRecords } from "../records/sample.ts";
import { context, loadInto, startWorker, useWorker } from "../worker.ts";
import { inBrowser } from "./browser-request.ts";

const PATH = "/api/tf1/records/";
const COUNT = 100;

const worker = useWorker();
beforeAll(async () => {
  await loadInto(worker.env, "d1", makeRecords(COUNT));
});

async function open(query: string): Promise<string> {
  const response = await worker.fetch(PATH + query, inBrowser());
  expect(response.status).toBe(200);
  return response.text();
}

const links = (page: string) => [...page.matchAll(/href="([^"]*)"/g)].map(([, url]) => decode(url!));
const decode = (text: string) =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&amp;", "&");

describe("a page of the collection in a browser", () => {
  test("has the headers of the collection and of a web page, and no ETag", async () => {
    const response = await worker.fetch(`${PATH}?page=2`, inBrowser());
    expect(response.headers.get("etag")).toBeNull();
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      allow: "GET, OPTIONS",
      vary: "Accept",
      "access-control-allow-origin": "*",
      "x-content-type-options": "nosniff",
      "cache-control": "public, max-age=5, stale-if-error=3600",
    });
    const policy = response.headers.get("content-security-policy");
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).not.toContain("unsafe");
  });

  test("shows all fields of its records", async () => {
    const page = await open("?page=2");
    const { results } = Page.parse(await (await worker.fetch(`${PATH}?page=2`)).json());
    const rows = [...page.matchAll(/<tr id="[^"]*"[^>]*>(<th scope="row">.*?)<\/tr>/g)].map(([, row]) =>
      row!
        .replaceAll(/<[^>]+>/g, " ")
        .trim()
        .split(/\s+/),
    );
    const fields = results.map((record) =>
      [
        record.timestamp,
        record.camera_ref,
        record.camera_ok,
        ...ROAD_USERS.map((name) => record[name]),
        record.camera_pk,
        record.id,
        record.model_name,
      ].map(String),
    );
    expect(rows).toEqual(fields);
  });

  test("shows a bar below each count, longer for a larger count; a zero has no bar", async () => {
    const page = await open("?page=2");
    const cells = [
      ...page.matchAll(/<td class="number (zero|count length-(\d+))" data-name="\w+">(\d+)<\/td>/g),
    ].map(([, kind, length, count]) => ({ kind, length: Number(length ?? 0), count: Number(count) }));
    expect(cells).toHaveLength(15 * ROAD_USERS.length);
    cells.sort((one, other) => one.count - other.count);
    const lengths = cells.map(({ length }) => length);
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
    expect(new Set(lengths).size).toBeGreaterThan(3);
    for (const { kind, count } of cells) expect(kind === "zero").toBe(count === 0);
  });

  test("has a link to each record", async () => {
    const page = await open("?page=2");
    const { results } = Page.parse(await (await worker.fetch(`${PATH}?page=2`)).json());
    for (const { id } of results) {
      expect(page).toContain(`<tr id="${id}"`);
      expect(page).toContain(`<a href="#${id}">${id}</a>`);
    }
  });

  test("offers its records as complete CSV that a load accepts", async () => {
    const page = await open("?page=2");
    const { results } = Page.parse(await (await worker.fetch(`${PATH}?page=2`)).json());
    const [, url, name] = /href="(data:text\/csv[^"]*)" download="([^"]*)"/.exec(page) ?? [];
    expect(name).toBe("records-page-2.csv");
    const text = await (await fetch(url!)).text();
    const expected = CSV_HEADER + results.map(csvLine).join("");
    expect(text.replaceAll("\r\n", "\n")).toBe(expected);
  });

  test("shows the command that requests the page", async () => {
    const text = decode((await open("?page=2&x=1")).replaceAll(/<[^>]+>/g, ""));
    const command = `curl -si '${worker.origin}${PATH}?format=api&page=2&x=1'`;
    expect(text).toContain(command);
  });

  test.each([
    ["", []],
    ["?as_of=50&page=2&x=1", [["as_of", "50 records.", "?x=1"]]],
    ["?as_of=latest", [["as_of", "100 records.", "?"]]],
    ["?prefer=delay=1&page=3", [["asked to change the response", "delay=1", "?page=3"]]],
  ])("with the query %j has the banners %j", async (query, expected) => {
    const page = await open(query);
    const banners = [...page.matchAll(/<p class="banner">(.*?)<\/p>/g)].map(([, banner]) => banner!);
    expect(banners).toHaveLength(expected.length);
    for (const [index, [title, fact, link]] of expected.entries()) {
      expect(banners[index]!.replaceAll(/<[^>]+>/g, "")).toContain(title);
      expect(banners[index]!.replaceAll(/<[^>]+>/g, "")).toContain(fact);
      if (link !== undefined) expect(banners[index]).toContain(`href="${PATH}${link}"`);
    }
  });

  test("has a banner without a link if the header Prefer changed the response", async () => {
    const { headers } = inBrowser();
    const response = await worker.fetch(PATH, { headers: { ...headers, prefer: "delay=1" } });
    const [banner] = /<p class="banner">.*?<\/p>/.exec(await response.text()) ?? [];
    expect(banner).toContain("<code>delay=1</code>");
    expect(banner).not.toContain("<a ");
  });

  test("has a banner if requests are limited", async () => {
    const RATE_LIMITER = { limit: async () => ({ success: true }) };
    const env = { ...worker.env, RATE_LIMIT: "60", RATE_LIMITER };
    const page = await (await app.request(PATH, inBrowser(), env, context)).text();
    expect(page).toMatch(/<p class="banner">This deployment limits .* within 60 seconds\./);
    expect(await open("")).not.toContain("This deployment limits");
  });

  test("has the same links above and below the records", async () => {
    const page = await open("?page=2");
    const [above, below] = [...page.matchAll(/<nav class="pages".*?<\/nav>/gs)].map(([nav]) =>
      links(nav).join(),
    );
    expect(above).toBe(below);
    expect(above).toContain("page=3");
  });

  test("shows the response to a client, with its headers", async () => {
    const page = await open("?page=2");
    const response = await worker.fetch(`${PATH}?format=api&page=2`);
    const [, headers] = /<pre class="headers">(.*?)<\/pre>/s.exec(page) ?? [];
    const shown = decode(headers!.replaceAll(/<[^>]+>/g, ""));
    for (const name of ["Allow", "Content-Type", "Vary", "ETag", "Cache-Control"])
      expect(shown).toContain(`${name}: ${response.headers.get(name)}`);
    const [, body] = /<code class="json">(.*?)<\/code>/s.exec(page) ?? [];
    expect(JSON.parse(decode(body!.replaceAll(/<[^>]+>/g, "")))).toEqual(await response.json());
  });

  test("has a banner about an option in the header Prefer that is wrong", async () => {
    const { headers } = inBrowser();
    const response = await worker.fetch(PATH, { headers: { ...headers, prefer: "dealy=1" } });
    expect(await response.text()).toContain('<p class="banner">dealy=1 is unknown. Did you mean delay?</p>');
  });

  test.each(["delay=1", "delay=1,code=wrong"])(
    "shows the headers that Prefer: %s changes",
    async (prefer) => {
      const page = await (await worker.fetch(PATH, { headers: { ...inBrowser().headers, prefer } })).text();
      const { headers } = await worker.fetch(PATH, { headers: { prefer } });
      const [, shown] = /<pre class="headers">(.*?)<\/pre>/s.exec(page) ?? [];
      const lines = shown!
        .replaceAll(/<[^>]+>/g, "")
        .split("\n")
        .slice(1);
      const names = lines.map((line) => line.split(":")[0]!);
      expect(names).toContain("Preference-Applied");
      expect(names).not.toContain("ETag");
      expect(lines).toEqual(names.map((name) => `${name}: ${headers.get(name)}`));
    },
  );

  test.each<[string, string, string | undefined]>([
    ["count=+20", '<p class="lead">120 records, newest first; page 2 of 8.', undefined],
    ["next=skip", 'rel="next" href="http://[^"]*page=4[^"]*"', undefined],
    ["next=null", '<span class="button off">Next ›</span>', undefined],
    ["record=missing,seed=3", ">missing</td>", ">missing</td>.*>missing</td>"],
    ["record=float,seed=3", ">\\d+\\.5</td>", undefined],
    ["rows=drop,seed=1", "(<tr id=.*?){14}", "(<tr id=.*?){15}"],
  ])("with %s shows what the client gets", async (fault, shown, hidden) => {
    const query = `?format=api&page=2&prefer=${encodeURIComponent(fault)}`;
    const page = await open(query);
    expect(page.replaceAll("&amp;", "&")).toMatch(new RegExp(shown, "s"));
    if (hidden !== undefined) expect(page).not.toMatch(new RegExp(hidden, "s"));
    const [, body] = /<code class="json">(.*?)<\/code>/s.exec(page) ?? [];
    const response = await worker.fetch(PATH + query);
    expect(JSON.parse(decode(body!.replaceAll(/<[^>]+>/g, "")))).toEqual(await response.json());
  });

  test.each([
    ["", [2, 7], []],
    ["?page=2", [1, 3, 7], []],
    ["?page=7", [1, 6], []],
    ["?page=last", [1, 6], []],
    ["?page=2&z=1&a=%22%3E%3Cb%3E", [1, 3, 7], ["a=%22%3E%3Cb%3E&", "&z=1"]],
  ])("%s links to pages %j", async (query, pages, kept) => {
    const found = links(await open(query)).filter((url) => url.includes("format=api"));
    expect([...new Set(found.map((url) => Number(new URL(url).searchParams.get("page"))))].sort()).toEqual(
      pages,
    );
    for (const url of found) for (const part of kept) expect(url).toContain(part);
    for (const url of found) expect((await fetch(url)).status).toBe(200);
  });

  test("links to the raw JSON of the page", async () => {
    const raw = links(await open("?page=3")).find((url) => url.includes("format=json"));
    const response = await fetch(raw!, inBrowser());
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toMatchObject({ count: COUNT, results: expect.any(Array) });
  });

  test("is never 304 because of the ETag of the JSON response", async () => {
    const etag = (await worker.fetch(PATH)).headers.get("etag")!;
    const init = inBrowser();
    const response = await worker.fetch(PATH, { headers: { ...init.headers, "if-none-match": etag } });
    expect(response.status).toBe(200);
  });

  test("has the same headers for HEAD", async () => {
    const response = await worker.fetch(PATH, inBrowser("HEAD"));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await response.text()).toBe("");
  });
});

describe("text from outside never becomes markup:", () => {
  const evil = `"><script>alert(1)</script><img src=x onerror='alert(1)'>&lt;`;

  test.each(["x", evil])("a query parameter %s", async (name) => {
    const page = await open(`?page=2&${encodeURIComponent(name)}=${encodeURIComponent(evil)}`);
    expect(page).not.toContain("<script>");
    expect(page).not.toContain("<img src=x");
    expect(page).toContain(
      `value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;lt;"`,
    );
  });

  test.each(["page", "format"])("%s in an error", async (name) => {
    const response = await worker.fetch(`${PATH}?${name}=${encodeURIComponent(evil)}`, inBrowser());
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain("<script>");
  });

  test("a method or a path", async () => {
    const response = await worker.fetch(`/${encodeURIComponent(evil)}/<script>`, inBrowser());
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain("<script>");
  });

  test("a record", async () => {
    const records = makeRecords(3).map((record) => ({ ...record, camera_ref: evil }));
    const own = await startWorker();
    await loadInto(own.env, "d1", records);
    const page = await (await own.fetch(PATH, inBrowser())).text();
    await own.close();
    expect(page).not.toContain("<script>");
    expect(page).not.toContain("<img src=x");
    expect(page).toContain("&lt;script&gt;alert(1)");
  });
});
