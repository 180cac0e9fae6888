import { expect, test, vi } from "vitest";
import { createApp } from "../../src/app.ts";
import { PATH } from "../support/exchange.ts";
import { extractText, findLinks, IN_BROWSER } from "../support/html-view.ts";
import { context, createInstance, createMemoryService, ORIGIN } from "../support/memory-service.ts";
import { makeRecords } from "../support/sample-records.ts";

// What others send costs no more than a page: nothing parses, repeats or keeps a longer text.

const { env, store, fetch } = await createMemoryService(makeRecords(100));

/** Counts the URLs and queries that are parsed, and the headers that are read, during a request. */
async function countWork(url: string, headers: Record<string, string>) {
  const request = new Request(url, { headers });
  const read = vi.spyOn(request.headers, "get");
  const parse = [vi.spyOn(globalThis, "URL"), vi.spyOn(globalThis, "URLSearchParams")];
  const { status } = await createApp().app.fetch(request, env, context);
  const work = {
    status,
    parsed: parse.flatMap((spy) => [...spy.mock.calls]).length,
    read: read.mock.calls.length,
  };
  vi.restoreAllMocks();
  return work;
}

test.each([
  ["path", `${ORIGIN}/${"y".repeat(8_191)}`, 414],
  ["query", `${ORIGIN}/?${"y".repeat(8_190)}`, 414],
  ["host", `https://${"y".repeat(253)}:65535/`, 400],
])("nothing parses a URL with one character more in its %s", async (_, url, error) => {
  const longer = url.replace("y", "yy");
  expect((await countWork(url, IN_BROWSER.headers)).parsed).toBeGreaterThan(0);
  expect(await countWork(longer, IN_BROWSER.headers)).toEqual({ status: error, parsed: 0, read: 0 });
  expect((await fetch(longer, IN_BROWSER)).headers.get("content-type")).toBe("application/json");
});

const etag = String((await fetch(PATH)).headers.get("etag"));

test.each([
  ["Accept", "a/b", 406],
  ["If-None-Match", `"other", ${etag}`, 304],
  ["Prefer", "code=503", 503],
])("with one character more, the header %s counts as absent", async (name, value, status) => {
  const longest = value.padEnd(8_192, ",");
  expect((await fetch(PATH, { headers: { [name]: longest } })).status).toBe(status);
  expect((await fetch(PATH, { headers: { [name]: `${longest},` } })).status).toBe(200);
});

test("a client with one character more in its address counts as unknown", async () => {
  const limit = vi.fn(async () => ({ success: true }));
  const instance = createInstance(store, { settings: { RATE_LIMIT: "60", RATE_LIMITER: { limit } } });
  for (const address of ["a".repeat(8_192), "a".repeat(8_193)])
    await instance.fetch(PATH, { headers: { "CF-Connecting-IP": address } });
  expect(limit.mock.calls).toEqual([[{ key: "a".repeat(8_192) }], [{ key: "unknown" }]]);
});

const long = "unlikely".repeat(985);

test.each<[name: string, query: string, count: number, times: number, leftOut: number]>([
  ["a short one", "&unlikely", 1, 14, 0],
  ["many", "&unlikely".repeat(49), 49, 14, 0],
  ["too many", "&unlikely".repeat(50), 50, 4, 50],
  ["a long one", `&x=${long}`, 985, 4, 1],
  ["a long fault", `&prefer=none&prefer=${long}`, 985, 3, 1],
])("a page repeats other parameters only so often, and says what its links leave out: %s", async (...row) => {
  const [, query, count, times, leftOut] = row;
  const html = await (await fetch(`${PATH}?page=2${query}`, IN_BROWSER)).text();
  expect(html.split("unlikely").length - 1).toBeLessThanOrEqual(times * count);
  expect(extractText(html).includes(`leave out ${leftOut} of them`)).toBe(leftOut > 0);
});

test.each([
  ["a fault", `${PATH}?page=2&prefer=code%3D418&prefer=times%3D9&run=a`, `${PATH}?page=2&run=a`],
  ["a fault that does not apply", `${PATH}?page=2&prefer=code%3D418%2Con%3D3`, `${PATH}?page=2`],
  ["a day without records", "/go?date=1999-01-01&page=2", "/go?date=2019-05-17&page=2"],
])("the parameters that the service reads stay: %s", async (_, path, link) => {
  const html = await (await fetch(path + "&other".repeat(50), IN_BROWSER)).text();
  if (path.startsWith(PATH)) expect(extractText(html)).toContain(`curl -si '${ORIGIN}${path}'`);
  expect(findLinks(html)).toContain(ORIGIN + link);
});
