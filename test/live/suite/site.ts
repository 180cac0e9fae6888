import { describe, expect, test } from "vitest";
import { inBrowser } from "../../site/browser-request.ts";
import { type OpenTarget, PATH, type Survey } from "../survey.ts";

const DOCUMENT = "/openapi.json";

/** The web pages and the OpenAPI document, for any collection. */
export function describeSite(open: OpenTarget, survey: Survey): void {
  describe("web pages", () => {
    test.each(["/", "/docs", PATH, `${PATH}?page=last`])(
      "%s is one, within a policy, and all that it loads is there",
      async (path) => {
        const response = await open().fetch(path, inBrowser());
        expect(response.status).toBe(200);
        expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
        expect(response.headers.get("content-security-policy")).toMatch(
          /^default-src 'none'; script-src 'self';/,
        );
        const page = await response.text();
        expect(page).toMatch(/^<!doctype html><html lang="en">.*<\/html>$/s);
        const assets = new Set(page.match(/(?<=(?:href|src)=")\/assets\/[^"]+/g));
        expect(assets.size).toBeGreaterThan(1);
        for (const asset of assets) expect((await open().fetch(asset)).status, asset).toBe(200);
      },
    );

    test("a page of the collection shows its records", async (context) => {
      survey.need(context, 1);
      const { results } = await survey.read(survey.pin(1));
      const page = await (await open().fetch(PATH + survey.pin(1), inBrowser())).text();
      for (const { id, camera_pk, timestamp } of results)
        for (const fact of [id, camera_pk, timestamp]) expect(page).toContain(String(fact));
    });

    test.each([
      ["GET", "/nothing", 404, "Not found."],
      ["GET", `${PATH}?page=0`, 404, "Invalid page."],
      ["GET", `${PATH}?format=xml`, 404, "Not found."],
      ["POST", PATH, 405, "Method \\&quot;POST\\&quot; not allowed."],
      ["POST", "/", 405, "Method \\&quot;POST\\&quot; not allowed."],
    ])("%s %s is a page with status %i: %s", async (method, path, status, detail) => {
      const response = await open().fetch(path, inBrowser(method));
      expect(response.status).toBe(status);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("allow")).toBe(
        path.startsWith(PATH) ? "GET, OPTIONS" : path === "/" ? "GET, HEAD" : null,
      );
      const page = await response.text();
      expect(page).toContain(`<h1>${status} `);
      expect(page).toContain(detail);
    });
  });

  describe("the landing page", () => {
    test("shows what is loaded", async () => {
      const { origin } = open();
      const response = await open().fetch("/");
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(response.headers.get("vary")).toBe("Accept");
      expect(await response.json()).toMatchObject({
        name: "Traffic Count Records",
        records_url: `${origin}${PATH}`,
        reference_url: `${origin}/docs`,
        openapi_url: `${origin}${DOCUMENT}`,
        count: expect.any(Number),
        pages: expect.any(Number),
      });
    });

    test("answers HEAD without a body, and rejects other methods", async () => {
      expect((await open().fetch("/", { method: "HEAD" })).status).toBe(200);
      expect((await open().fetch("/", { headers: { accept: "image/png" } })).status).toBe(406);
      const refused = await open().fetch("/", { method: "DELETE" });
      expect(refused.status).toBe(405);
      expect(refused.headers.get("allow")).toBe("GET, HEAD");
    });
  });

  describe("the OpenAPI document", () => {
    test("names this origin, and returns 304 for a current copy", async () => {
      const response = await open().fetch(DOCUMENT);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(response.headers.get("cache-control")).toBe("public, max-age=300, stale-if-error=86400");
      expect(await response.json()).toMatchObject({ openapi: "3.1.1", servers: [{ url: open().origin }] });
      const etag = response.headers.get("etag")!;
      for (const [copy, status] of [
        [etag, 304],
        ['"other"', 200],
      ] as const)
        expect((await open().fetch(DOCUMENT, { headers: { "if-none-match": copy } })).status).toBe(status);
    });

    test.each(["POST", "PUT", "DELETE", "OPTIONS"])(
      "%s returns 405 and the allowed methods",
      async (method) => {
        const response = await open().fetch(DOCUMENT, { method });
        expect(response.status).toBe(405);
        expect(response.headers.get("allow")).toBe("GET, HEAD");
        expect(await response.json()).toEqual({ detail: `Method "${method}" not allowed.` });
      },
    );
  });
}
