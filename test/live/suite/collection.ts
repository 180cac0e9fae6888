import { describe, expect, test } from "vitest";
import { type OpenTarget, PATH } from "../survey.ts";
import { ownHeaders } from "../target.ts";

/** Methods, headers, formats and paths, for any collection. No request could change anything. */
export function describeCollection(open: OpenTarget): void {
  describe("headers", () => {
    test.each([
      ["GET", PATH, 200],
      ["GET", `${PATH}?page=0`, 404],
      ["GET", `${PATH}?format=csv`, 404],
      ["POST", PATH, 405],
      ["OPTIONS", PATH, 200],
    ])("%s %s: every answer of the collection has them", async (method, path, status) => {
      const response = await open().fetch(path, { method });
      expect(response.status).toBe(status);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        allow: "GET, OPTIONS",
        vary: "Accept",
        "content-type": "application/json",
        "access-control-allow-origin": "*",
        "x-content-type-options": "nosniff",
      });
    });

    test.each(["?page=0", "?format=xml", "?format=json&as_of=0"])(
      "HEAD %s answers as GET, without a body",
      async (query) => {
        const get = await open().fetch(PATH + query);
        const head = await open().fetch(PATH + query, { method: "HEAD" });
        expect(await head.text()).toBe("");
        expect(head.status).toBe(get.status);
        expect(ownHeaders(head.headers)).toEqual(ownHeaders(get.headers));
      },
    );
  });

  describe("a request that cannot be served", () => {
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
    ])("%s %s, Accept %s -> %i %s", async (method, query, accept, status, detail) => {
      const response = await open().fetch(PATH + query, { method, headers: { accept } });
      expect(response.status).toBe(status);
      expect(await response.json()).toEqual({ detail });
    });

    test("format=json returns JSON for any Accept header", async () => {
      const response = await open().fetch(`${PATH}?format=json`, { headers: { accept: "image/png" } });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("application/json");
    });
  });

  describe("OPTIONS", () => {
    test("describes the collection", async () => {
      const response = await open().fetch(PATH, { method: "OPTIONS" });
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({
        name: expect.any(String),
        description: expect.any(String),
        renders: ["application/json", "text/html"],
        parses: expect.any(Array),
      });
    });

    test.each([PATH, "/elsewhere", "/openapi.json"])(
      "a preflight request for %s returns 204",
      async (path) => {
        const headers = { origin: "https://app.example", "access-control-request-method": "GET" };
        const response = await open().fetch(path, { method: "OPTIONS", headers });
        expect(response.status).toBe(204);
        expect(await response.text()).toBe("");
        expect(response.headers.get("access-control-allow-origin")).toBe("*");
        expect(response.headers.get("access-control-allow-methods")).toBe("GET, OPTIONS");
        expect(response.headers.get("access-control-allow-headers")).toBe("*");
      },
    );
  });

  describe("paths", () => {
    test.each(["", "?page=2&format=json&x=%20+"])(
      "without the slash: permanent redirect, %j kept",
      async (query) => {
        const response = await open().fetch(`/api/tf1/records${query}`);
        expect(response.status).toBe(301);
        expect(response.headers.get("location")).toBe(PATH + query);
      },
    );

    test.each([
      ...["/api", "/api/", "/api/tf1", "/api/tf1/"],
      ...["/api/tf2/records/", `${PATH}1/`, "/API/tf1/records/", "/nothing"],
    ])("%s is 404 Not found.", async (path) => {
      const response = await open().fetch(path);
      expect(response.status).toBe(404);
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(await response.json()).toEqual({ detail: "Not found." });
    });
  });
}
