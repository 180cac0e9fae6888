import { beforeAll, describe, expect, test } from "vitest";
import app from "../../src/index.ts";
import { makeRecords } from "../records/sample.ts";
import { context, loadInto, startWorker, useWorker } from "../worker.ts";
import { inBrowser } from "./browser-request.ts";

const PATH = "/api/tf1/records/";

const worker = useWorker();
beforeAll(async () => {
  await loadInto(worker.env, "d1", makeRecords(100));
});

describe("errors in a browser", () => {
  test("406 is a web page for clients that accept XHTML", async () => {
    const response = await worker.fetch(PATH, { headers: { accept: "application/xhtml+xml" } });
    expect(response.status).toBe(406);
    expect(await response.text()).toContain("Could not satisfy the request Accept header.");
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  });

  test("a failing store is also shown as a web page, with Retry-After", async () => {
    const failing = await startWorker({ migrate: false });
    for (const path of ["/", PATH]) {
      const response = await failing.fetch(path, inBrowser());
      expect(response.status).toBe(503);
      expect(response.headers.get("retry-after")).toBe("5");
      const page = await response.text();
      expect(page).toContain("Service temporarily unavailable, try again later.");
      expect(page).not.toMatch(/no such table|D1/);
    }
    await failing.close();
  });

  test("with format=json an error is JSON", async () => {
    const response = await worker.fetch(`${PATH}?format=json&page=0`, inBrowser());
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ detail: "Invalid page." });
  });
});

/** Opens the page of an error. */
async function openError(path: string, status: number): Promise<string> {
  const response = await worker.fetch(path, inBrowser());
  expect(response.status).toBe(status);
  return response.text();
}

describe("the name of a status", () => {
  test.each([
    [400, "Bad Request"],
    [404, "Not Found"],
    [418, "Client Error"],
    [429, "Too Many Requests"],
    [451, "Unavailable For Legal Reasons"],
    [503, "Service Unavailable"],
    [599, "Server Error"],
  ])("%i %s", async (status, name) => {
    const page = await openError(`${PATH}?prefer=code=${status}`, status);
    expect(page).toContain(`<title>${status} ${name} · Traffic Count Records</title>`);
    expect(page).not.toContain("<p></p>");
  });
});

test("the page for too many requests asks the person to wait", async () => {
  const limiter = { limit: async () => ({ success: false }) };
  const env = { ...worker.env, RATE_LIMIT: "10", RATE_LIMITER: limiter };
  const response = await app.request(`${PATH}?page=2&x=1`, inBrowser(), env, context);
  expect(response.status).toBe(429);
  const page = await response.text();
  expect(page).toContain("<title>429 Too Many Requests ·");
  expect(page).toContain("Too many requests came from your address. Wait for 10 seconds");
  expect(page).toContain(`<a href="${PATH}?page=2&amp;x=1">Try again</a>`);
});

describe("the advice of an error page", () => {
  const linksTo = (query: string) => `href="${query.replaceAll("&", "&amp;")}"`;

  test.each([
    ["?page=999&x=1", "The last page is", "?page=7&x=1"],
    ["?page=3&as_of=30", "The last page is", "?page=2&as_of=30"],
    [
      "?as_of=99999999",
      "larger than the number of records in the collection, which is 100",
      "?as_of=latest&page=1",
    ],
    ["?as_of=abc&page=3", "the value in a link", "?as_of=latest&page=1"],
    ["?as_of=100-1", "Other records were loaded since", "?as_of=latest&page=1"],
    ["?page=abc", "Pages are numbered from 1", undefined],
    ["?format=xml&page=2", "must be", "?format=json&page=2"],
  ])("for %s contains: %s", async (query, text, link) => {
    const page = await openError(PATH + query, 404);
    const advice = page.slice(page.indexOf('class="lead"'), page.indexOf("The response as JSON"));
    expect(advice.replaceAll(/<[^>]+>/g, "")).toContain(text);
    if (link === undefined) return;
    expect(advice).toContain(linksTo(link));
    expect((await worker.fetch(PATH + link, inBrowser())).status).toBe(200);
  });

  test.each(["/nothing", "/api", "/api/", "/api/tf1", "/api/tf1/"])(
    "links %s to the collection",
    async (path) => {
      const page = await openError(path, 404);
      expect(page).toContain("There is nothing at this address.");
      expect(page).toContain(`<a href="${PATH}">`);
    },
  );

  test("lets a person try again if the store fails", async () => {
    const { DB: _, ...env } = worker.env;
    const response = await app.request(`${PATH}?page=2`, inBrowser(), env, context);
    expect(response.status).toBe(503);
    expect(await response.text()).toContain(`<a href="${PATH}?page=2">Try again</a>`);
  });
});

describe("an error that prefer causes", () => {
  test.each([
    ["?prefer=code=503", "?"],
    ["?page=3&prefer=code=503&x=1", "?page=3&amp;x=1"],
    ["?prefer=code%3D404", "?"],
  ])("in the query %s is explained, with a link to %s", async (query, address) => {
    for (const path of ["/", PATH]) {
      const page = await openError(path + query, query.includes("404") ? 404 : 503);
      expect(page).toContain("nothing is wrong");
      expect(page).toContain(`<a href="${address}">The same address without it</a>`);
      expect(page).not.toMatch(/cannot be read|class="page-box"/);
    }
  });

  test("in the header is explained without a link", async () => {
    const headers = { ...Object(inBrowser().headers), prefer: "code=503" };
    const page = await (await worker.fetch(PATH, { headers })).text();
    expect(page).toContain("nothing is wrong");
    expect(page).not.toContain("without it");
  });

  test("is not mentioned if the request itself is wrong", async () => {
    const page = await openError(`${PATH}?page=0&prefer=delay=1`, 404);
    expect(page).not.toContain("nothing is wrong");
  });
});

describe("the page box of an error", () => {
  const readFields = (page: string) =>
    Array.from(page.matchAll(/<input[^>]*>/g), ([field]) =>
      ["name", "value"].map((name) => new RegExp(` ${name}="([^"]*)"`).exec(field)?.[1]),
    );

  test.each([
    ["?page=999", [["page", "999"]]],
    [
      "?page=999&x=1",
      [
        ["x", "1"],
        ["page", "999"],
      ],
    ],
    ["?page=abc", [["page", undefined]]],
    ["?as_of=99999999", [["page", undefined]]],
    ["?page=0&as_of=abc&format=api&prefer=delay=1", [["page", "0"]]],
  ])("for %s keeps only parameters that cannot cause the error: %j", async (query, fields) => {
    expect(readFields(await openError(PATH + query, 404))).toEqual(fields);
  });

  test.each(["?format=xml", "?prefer=code=404", "?format=xml&page=0"])(
    "is missing if another page would not help: %s",
    async (query) => expect(await openError(PATH + query, 404)).not.toContain("page-box"),
  );
});
