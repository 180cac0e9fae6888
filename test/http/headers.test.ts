import { Hono } from "hono";
import { expect, test, vi } from "vitest";
import { createApp } from "../../src/app.ts";
import type { AppContext, AppEnv } from "../../src/bindings.ts";
import {
  addHeaders,
  COLLECTION_HEADERS,
  createCompleteResponse,
  PAGE_CACHE_CONTROL,
} from "../../src/http/headers.ts";
import { COLLECTION_PATH } from "../../src/http/links.ts";
import { COMMON_HEADERS } from "../http-suite/collection-requests.ts";
import { CHROMIUM } from "../support/exchange.ts";
import { context, createInstance, createMemoryService, ORIGIN } from "../support/memory-service.ts";
import { makeRecords } from "../support/sample-records.ts";

const { allow: _, vary: __, ...COMMON } = COMMON_HEADERS;

const setOne = (c: AppContext) => c.body(null, 200, { "X-Content-Type-Options": "nosniff" });
const replaceComplete = (c: AppContext) => {
  createCompleteResponse(c, null, { status: 200, headers: COLLECTION_HEADERS });
  return c.body(null);
};

test.each([
  ["sets one of the headers itself", COLLECTION_PATH, setOne, COMMON_HEADERS],
  ["sets one of the headers itself", COLLECTION_PATH.slice(0, -1), setOne, COMMON_HEADERS],
  ["sets one of the headers itself", "/elsewhere", setOne, COMMON],
  ["replaces a complete one", COLLECTION_PATH, replaceComplete, COMMON_HEADERS],
])("a response that %s gets all headers: %s", async (_, path, respond, expected) => {
  const app = new Hono<AppEnv>();
  app.use(addHeaders);
  app.get(path, respond);
  const { headers } = await app.fetch(new Request(ORIGIN + path));
  expect(Object.fromEntries(headers)).toEqual(expected);
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
