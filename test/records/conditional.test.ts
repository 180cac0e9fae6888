import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STORE_NAMES } from "../../data/targets/targets.ts";
import { loadInto, type RunningWorker, startWorker } from "../worker.ts";
import { essential } from "./headers.ts";
import { makeRecords } from "./sample.ts";

const PATH = "/api/tf1/records/";

describe.each(STORE_NAMES)("from %s", (store) => {
  let worker: RunningWorker;
  beforeAll(async () => {
    worker = await startWorker({ vars: { STORE: store } });
    await loadInto(worker.env, store, makeRecords(100));
  });
  afterAll(() => worker.close());

  describe("conditional requests", () => {
    const conditional = (query: string, ifNoneMatch: string, method = "GET") =>
      worker.fetch(PATH + query, { method, headers: { "if-none-match": ifNoneMatch } });

    test("a page has a strong entity-tag, another one for each page", async () => {
      const tags = await Promise.all(
        ["", "?page=2", "?page=3"].map(async (query) =>
          (await worker.fetch(PATH + query)).headers.get("etag"),
        ),
      );
      for (const tag of tags) expect(tag).toMatch(/^"[^"]+"$/);
      expect(new Set(tags).size).toBe(tags.length);
    });

    test("?page=last is the last page by number", async () => {
      const [last, number] = await Promise.all([
        worker.fetch(`${PATH}?page=last`),
        worker.fetch(`${PATH}?page=7`),
      ]);
      expect(last.headers.get("etag")).toBe(number.headers.get("etag"));
    });

    test.each([
      (tag: string) => tag,
      (tag: string) => `W/${tag}`,
      (tag: string) => `"other", W/"a,b" ,${tag}`,
      () => "*",
    ])("a current copy is 304, with the headers of the page and no body: %s", async (toHeader) => {
      for (const method of ["GET", "HEAD"]) {
        const full = await worker.fetch(`${PATH}?page=2`);
        const response = await conditional("?page=2", toHeader(full.headers.get("etag")!), method);
        expect(response.status).toBe(304);
        expect(await response.text()).toBe("");
        const { "content-type": _, ...expected } = essential(full.headers);
        expect(essential(response.headers)).toEqual(expected);
      }
    });

    test.each(['"other"', "", "nonsense", '"other", W/"more"'])(
      "any other copy is 200: %j",
      async (ifNoneMatch) => {
        expect((await conditional("?page=2", ifNoneMatch)).status).toBe(200);
      },
    );

    test("a copy of another page, or of a page that there is not, is none", async () => {
      const tag = (await worker.fetch(PATH)).headers.get("etag")!;
      expect((await conditional("?page=2", tag)).status).toBe(200);
      expect((await conditional("?page=99", "*")).status).toBe(404);
    });

    test("Cache-Control: a page may be kept for seconds, and longer on errors; an error never", async () => {
      expect((await worker.fetch(PATH)).headers.get("cache-control")).toBe(
        "public, max-age=5, stale-if-error=3600",
      );
      for (const query of ["?page=0", "?format=xml"]) {
        const response = await worker.fetch(PATH + query);
        expect(response.headers.get("cache-control")).toBe("no-store");
        expect(response.headers.has("etag")).toBe(false);
      }
    });
  });
});
