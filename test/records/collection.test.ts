import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STORE_NAMES } from "../../data/targets/targets.ts";
import app from "../../src/index.ts";
import { Page, TrafficRecord } from "../../src/records/record.ts";
import { context, loadInto, type RunningWorker, startWorker } from "../worker.ts";
import { essential } from "./headers.ts";
import { makeRecords } from "./sample.ts";

const PATH = "/api/tf1/records/";
const COUNT = 100;
const newestFirst = makeRecords(COUNT).reverse();

describe.each(STORE_NAMES)("from %s", (store) => {
  let worker: RunningWorker;
  beforeAll(async () => {
    worker = await startWorker({ vars: { STORE: store } });
    await loadInto(worker.env, store, newestFirst.toReversed());
  });
  afterAll(() => worker.close());

  const link = (query: string) => `${worker.origin}${PATH}?${query}`;

  async function getPage(query = ""): Promise<Page> {
    const response = await worker.fetch(PATH + query);
    expect(response.status).toBe(200);
    return Page.parse(await response.json());
  }

  describe("a page", () => {
    test("is compact JSON with the fields in the specification's order", async () => {
      const text = await (await worker.fetch(PATH)).text();
      const envelope = JSON.parse(text);
      expect(text).toBe(JSON.stringify(envelope));
      expect(Object.keys(envelope)).toEqual(["count", "next", "previous", "results"]);
      for (const record of envelope.results)
        expect(Object.keys(record)).toEqual(Object.keys(TrafficRecord.shape));
    });

    test.each([
      { query: "", page: 1, next: "format=api&page=2", previous: null },
      { query: "?page=", page: 1, next: "format=api&page=2", previous: null },
      { query: "?format=api&page=2", page: 2, next: "format=api&page=3", previous: "format=api&page=1" },
      { query: "?page=7", page: 7, next: null, previous: "format=api&page=6" },
      { query: "?page=last", page: 7, next: null, previous: "format=api&page=6" },
      { query: "?format=json&page=3", page: 3, next: "format=json&page=4", previous: "format=json&page=2" },
      { query: "?page=1&page=4", page: 4, next: "format=api&page=5", previous: "format=api&page=3" },
      { query: "?format=xml&format=json", page: 1, next: "format=json&page=2", previous: null },
      {
        query: "?z=1&page=2&a=%C3%BC",
        page: 2,
        next: "a=%C3%BC&format=api&page=3&z=1",
        previous: "a=%C3%BC&format=api&page=1&z=1",
      },
      { query: "?page=%32", page: 2, next: "format=api&page=3", previous: "format=api&page=1" },
    ])("$query is page $page with its neighbours", async ({ query, page, next, previous }) => {
      expect(await getPage(query)).toEqual({
        count: COUNT,
        next: next && link(next),
        previous: previous && link(previous),
        results: newestFirst.slice(15 * (page - 1), 15 * page),
      });
    });

    test.each(["0", "-1", "abc", "1.5", "2%00", "8", "999999999999999999999", "LAST", "1&page=x", "%F0"])(
      "page=%s is 404 Invalid page.",
      async (page) => {
        const response = await worker.fetch(`${PATH}?page=${page}`);
        expect(response.status).toBe(404);
        expect(await response.json()).toEqual({ detail: "Invalid page." });
      },
    );
  });

  describe("links", () => {
    test.each([
      [
        "https://counts.example/api/tf1/records/?page=2",
        "https://counts.example/api/tf1/records/?format=api&page=3",
      ],
      [
        "http://counts.example:8080/api/tf1/records/",
        "http://counts.example:8080/api/tf1/records/?format=api&page=2",
      ],
      ["https://[::1]:8443/api/tf1/records/", "https://[::1]:8443/api/tf1/records/?format=api&page=2"],
    ])("keep scheme, host and port of %s", async (url, next) => {
      const response = await app.request(url, {}, worker.env, context);
      expect(await response.json()).toMatchObject({ next });
    });

    test("begin with PUBLIC_ORIGIN when it is set", async () => {
      const env = { ...worker.env, PUBLIC_ORIGIN: "https://counts.example" };
      const response = await app.request(`http://inside:8787${PATH}?page=2`, {}, env, context);
      expect(await response.json()).toMatchObject({
        next: `https://counts.example${PATH}?format=api&page=3`,
        previous: `https://counts.example${PATH}?format=api&page=1`,
      });
    });
  });

  describe("headers", () => {
    test.each([
      ["GET", PATH, 200],
      ["GET", `${PATH}?page=0`, 404],
      ["GET", `${PATH}?format=csv`, 404],
      ["POST", PATH, 405],
      ["OPTIONS", PATH, 200],
    ])("%s %s: every answer of the collection has them", async (method, path, status) => {
      const response = await worker.fetch(path, { method });
      expect(response.status).toBe(status);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        allow: "GET, OPTIONS",
        vary: "Accept",
        "content-type": "application/json",
        "access-control-allow-origin": "*",
        "x-content-type-options": "nosniff",
      });
    });

    test("HEAD answers as GET, without a body", async () => {
      for (const query of ["", "?page=2", "?page=last", "?page=99", "?format=xml"]) {
        const [get, head] = await Promise.all([
          worker.fetch(PATH + query),
          worker.fetch(PATH + query, { method: "HEAD" }),
        ]);
        expect(await head.text()).toBe("");
        expect(head.status).toBe(get.status);
        expect(essential(head.headers)).toEqual(essential(get.headers));
      }
    });
  });

  describe("what is asked for cannot be given", () => {
    test.each([
      ["GET", "?format=xml", "image/png", 404, "Not found."],
      ["POST", "?format=xml", "*/*", 404, "Not found."],
      ["GET", "?page=0&format=csv", "*/*", 404, "Not found."],
      ["GET", "", "image/png", 406, "Could not satisfy the request Accept header."],
      ["GET", "?page=0", "image/png", 406, "Could not satisfy the request Accept header."],
      ["POST", "", "*/*", 405, 'Method "POST" not allowed.'],
      ["PUT", "?page=2", "*/*", 405, 'Method "PUT" not allowed.'],
      ["PATCH", "", "*/*", 405, 'Method "PATCH" not allowed.'],
      ["DELETE", "?page=0", "*/*", 405, 'Method "DELETE" not allowed.'],
      ["PROPFIND", "", "*/*", 405, 'Method "PROPFIND" not allowed.'],
    ])("%s %s, Accept %s -> %i %s", async (method, query, accept, status, detail) => {
      const response = await worker.fetch(PATH + query, { method, headers: { accept } });
      expect(response.status).toBe(status);
      expect(await response.json()).toEqual({ detail });
    });

    test("format=json is JSON whatever Accept says", async () => {
      const response = await worker.fetch(`${PATH}?format=json`, { headers: { accept: "image/png" } });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("application/json");
    });
  });

  describe("OPTIONS", () => {
    test("describes the collection", async () => {
      const response = await worker.fetch(PATH, { method: "OPTIONS" });
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({
        name: expect.any(String),
        description: expect.any(String),
        renders: ["application/json", "text/html"],
        parses: expect.any(Array),
      });
    });

    test.each([PATH, "/elsewhere"])("a preflight for %s is 204", async (path) => {
      const headers = { origin: "https://app.example", "access-control-request-method": "GET" };
      const response = await worker.fetch(path, { method: "OPTIONS", headers });
      expect(response.status).toBe(204);
      expect(await response.text()).toBe("");
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(response.headers.get("access-control-allow-methods")).toBe("GET, OPTIONS");
      expect(response.headers.get("access-control-allow-headers")).toBe("*");
    });
  });

  describe("paths", () => {
    test.each(["", "?page=2&format=json&x=%20+"])(
      "without the slash: permanent redirect, %j kept",
      async (query) => {
        const response = await worker.fetch(`/api/tf1/records${query}`);
        expect(response.status).toBe(301);
        expect(response.headers.get("location")).toBe(PATH + query);
      },
    );

    test.each(["/api/tf1/", "/api/tf2/records/", `${PATH}1/`, `${PATH}/`, "/API/tf1/records/", "/%ff%fe"])(
      "%s is 404 Not found.",
      async (path) => {
        const response = await worker.fetch(path);
        expect(response.status).toBe(404);
        expect(response.headers.get("content-type")).toBe("application/json");
        expect(response.headers.get("access-control-allow-origin")).toBe("*");
        expect(await response.json()).toEqual({ detail: "Not found." });
      },
    );
  });
});
