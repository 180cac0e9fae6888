import { beforeAll, describe, expect, test } from "vitest";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import app from "../../src/index.ts";
import { Page } from "../../src/records/record.ts";
import { context, loadInto, useWorker } from "../worker.ts";
import { essential } from "./headers.ts";
import { makeRecords } from "./sample.ts";

const PATH = "/api/tf1/records/";
const COUNT = 100;
const newestFirst = makeRecords(COUNT).reverse();

/** Tests that need to know the records, or that send requests in this process. The other tests are in test/live. */
describe.each(STORE_NAMES)("with the %s store,", (store) => {
  const worker = useWorker({ vars: { STORE: store } });
  beforeAll(async () => {
    await loadInto(worker.env, store, newestFirst.toReversed());
  });

  const link = (query: string) => `${worker.origin}${PATH}?${query}`;

  async function getPage(query = ""): Promise<Page> {
    const response = await worker.fetch(PATH + query);
    expect(response.status).toBe(200);
    return Page.parse(await response.json());
  }

  describe("a page", () => {
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
    ])("for '$query' is page $page and links to its neighbours", async ({ query, page, next, previous }) => {
      expect(await getPage(query)).toEqual({
        count: COUNT,
        next: next && link(next),
        previous: previous && link(previous),
        results: newestFirst.slice(15 * (page - 1), 15 * page),
      });
    });

    test("past the end is 404 Invalid page.", async () => {
      const response = await worker.fetch(`${PATH}?page=8`);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ detail: "Invalid page." });
    });
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

    test("begin with PUBLIC_ORIGIN when it is set, and the entity-tag changes with it", async () => {
      const env = { ...worker.env, PUBLIC_ORIGIN: "https://counts.example" };
      const url = `http://inside:8787${PATH}?page=2`;
      const response = await app.request(url, {}, env, context);
      expect(await response.json()).toMatchObject({
        next: `https://counts.example${PATH}?format=api&page=3`,
        previous: `https://counts.example${PATH}?format=api&page=1`,
      });
      const init = { headers: { "If-None-Match": response.headers.get("ETag")! } };
      expect((await app.request(url, init, env, context)).status).toBe(304);
      expect((await app.request(url, init, worker.env, context)).status).toBe(200);
    });
  });

  test("HEAD gets the same status and headers as GET, without a body", async () => {
    for (const query of ["", "?page=2", "?page=last", "?page=8"]) {
      const [get, head] = await Promise.all([
        worker.fetch(PATH + query),
        worker.fetch(PATH + query, { method: "HEAD" }),
      ]);
      expect(await head.text()).toBe("");
      expect(head.status).toBe(get.status);
      expect(essential(head.headers)).toEqual(essential(get.headers));
    }
  });

  // These tests are not in test/live, since a proxy in front of a deployment may respond to such requests itself.
  test("PROPFIND is 405", async () => {
    const response = await worker.fetch(PATH, { method: "PROPFIND" });
    expect(response.status).toBe(405);
    expect(await response.json()).toEqual({ detail: 'Method "PROPFIND" not allowed.' });
  });

  test.each([`${PATH}/`, "/%ff%fe"])("%s is 404 Not found.", async (path) => {
    const response = await worker.fetch(path);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ detail: "Not found." });
  });
});
