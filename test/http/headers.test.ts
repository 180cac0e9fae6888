import { Hono } from "hono";
import { expect, test, vi } from "vitest";
import { createApp } from "../../src/app.ts";
import type { AppEnv } from "../../src/bindings.ts";
import {
  addHeaders,
  COLLECTION_HEADERS,
  createCompleteResponse,
  PAGE_CACHE_CONTROL,
} from "../../src/http/headers.ts";
import { COLLECTION_PATH } from "../../src/http/links.ts";
import { CHROMIUM } from "../support/exchange.ts";
import { context, createInstance, createMemoryService, ORIGIN } from "../support/memory-service.ts";
import { makeRecords } from "../support/sample-records.ts";

test.each([COLLECTION_PATH, COLLECTION_PATH.slice(0, -1), "/elsewhere"])(
  "a response of %s that sets one of the headers itself gets the others, too",
  async (path) => {
    const app = new Hono<AppEnv>();
    app.use(addHeaders);
    app.get(path, (c) => c.body(null, 200, { "X-Content-Type-Options": "nosniff" }));
    const { headers } = await app.fetch(new Request(ORIGIN + path));
    const ofCollection = path === "/elsewhere" ? {} : { allow: "GET, OPTIONS", vary: "Accept" };
    expect(Object.fromEntries(headers)).toEqual({
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "*",
      "x-content-type-options": "nosniff",
      ...ofCollection,
    });
  },
);

test("a response that replaces a complete one gets all headers, too", async () => {
  const app = new Hono<AppEnv>();
  app.use(addHeaders);
  app.get(COLLECTION_PATH, (c) => {
    createCompleteResponse(c, null, { status: 200, headers: COLLECTION_HEADERS });
    return c.body(null);
  });
  const { headers } = await app.fetch(new Request(ORIGIN + COLLECTION_PATH));
  expect(headers.get("allow")).toBe("GET, OPTIONS");
});

test.each<[name: string, headers: Record<string, string>, settings: object, cacheControl: string]>([
  ["without Prefer", {}, {}, PAGE_CACHE_CONTROL],
  ["with another preference", { prefer: 'return; note="x"' }, {}, "no-store"],
  ["with FAULTS off", { prefer: "code=503" }, { FAULTS: "off" }, "no-store"],
])("a web page that shows the header Prefer is not cached: %s", async (...row) => {
  const [, headers, settings, cacheControl] = row;
  const { store } = await createMemoryService(makeRecords(1));
  const { fetch } = createInstance(store, { settings });
  const page = await fetch(COLLECTION_PATH, { headers: { ...headers, accept: CHROMIUM } });
  const json = await fetch(COLLECTION_PATH, { headers });
  const getCaching = (response: Response) => response.headers.get("cache-control");
  expect([getCaching(page), getCaching(json)]).toEqual([cacheControl, PAGE_CACHE_CONTROL]);
});

test.each([
  ["a page", {}],
  ["a page that the client has", { "If-None-Match": "*" }],
])("nothing looks at the headers of %s, because servers create them only when asked", async (_, headers) => {
  const { env } = await createMemoryService(makeRecords(1));
  const getHeaders = vi.spyOn(Response.prototype, "headers", "get");
  await createApp().app.fetch(new Request(ORIGIN + COLLECTION_PATH, { headers }), env, context);
  expect(getHeaders).not.toHaveBeenCalled();
});
