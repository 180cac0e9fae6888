import { describe, expect, test } from "vitest";
import { type OpenTarget, PATH, type Survey } from "../survey.ts";
import { ownHeaders } from "../target.ts";

/** If the collection grows between two requests, the entity-tags of all pages change. */
const AGAIN = { retry: 3 };

/** Conditional requests (RFC 9110, 13), for pages of any collection. */
export function describeConditional(open: OpenTarget, survey: Survey): void {
  const conditional = (query: string, ifNoneMatch: string, method = "GET") =>
    open().fetch(PATH + query, { method, headers: { "if-none-match": ifNoneMatch } });

  async function readTag(query: string): Promise<string> {
    return (await open().fetch(PATH + query)).headers.get("etag") ?? "";
  }

  describe("conditional requests", () => {
    test("each page has an entity-tag of its own", async (context) => {
      survey.need(context, 3);
      const tags = [];
      for (const page of [1, 2, 3]) tags.push(await readTag(survey.pin(page)));
      for (const tag of tags) expect(tag).toMatch(/^"[^"]+"$/);
      expect(new Set(tags).size).toBe(tags.length);
    });

    test("?page=last returns the same page as its number", AGAIN, async () => {
      const last = await readTag(`?as_of=${survey.count()}&page=last`);
      expect(last).toBe(await readTag(survey.pin(survey.pages())));
    });

    test.each([
      (tag: string) => tag,
      (tag: string) => `W/${tag}`,
      (tag: string) => `"other", W/"a,b" ,${tag}`,
      () => "*",
    ])("a current copy is 304, with the headers of the page and no body: %s", AGAIN, async (toHeader) => {
      for (const method of ["GET", "HEAD"]) {
        const full = await open().fetch(PATH + survey.pin(1));
        const response = await conditional(survey.pin(1), toHeader(full.headers.get("etag")!), method);
        expect(response.status).toBe(304);
        expect(await response.text()).toBe("");
        const { "content-type": _, ...expected } = ownHeaders(full.headers);
        const { "content-type": __, ...headers } = ownHeaders(response.headers);
        expect(headers).toEqual(expected);
      }
    });

    test.each(['"other"', "", "nonsense", '"other", W/"more"'])(
      "If-None-Match: %j returns 200",
      async (copy) => {
        expect((await conditional(survey.pin(1), copy)).status).toBe(200);
      },
    );

    test("the entity-tag of another page returns 200", async (context) => {
      survey.need(context, 2);
      expect((await conditional(survey.pin(2), await readTag(survey.pin(1)))).status).toBe(200);
    });

    test("a page past the end returns 404, not 304", async () => {
      expect((await conditional(survey.pin(survey.pages() + 1), "*")).status).toBe(404);
    });

    test("Cache-Control allows a page for seconds, longer if the service fails, and an error never", async () => {
      const caching = (await open().fetch(PATH)).headers.get("cache-control");
      expect(caching).toBe("public, max-age=5, stale-if-error=3600");
      for (const query of ["?page=0", "?format=xml"]) {
        const response = await open().fetch(PATH + query);
        expect(response.headers.get("cache-control")).toBe("no-store");
        expect(response.headers.has("etag")).toBe(false);
      }
    });
  });
}
