import { Hono } from "hono";
import { expect, test } from "vitest";
import type { Env } from "../../src/env.ts";
import { createErrorHandler, HttpError } from "../../src/http/errors.ts";

const CHROMIUM = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";

const app = new Hono<{ Bindings: Env }>();
app.get("/", () => {
  throw new HttpError(404);
});
app.onError(createErrorHandler(({ message }) => `<p>${message}</p>`));

test.each([
  ["/", undefined, "json"],
  ["/", "*/*", "json"],
  ["/", CHROMIUM, "html"],
  ["/?format=xml", CHROMIUM, "html"],
  ["/?format=json", CHROMIUM, "json"],
  ["/?format=json&format=api", CHROMIUM, "html"],
  ["/", "image/png", "json"],
  ["/", "application/xhtml+xml", "html"],
  ["/", "application/xhtml+xml, application/json;q=0.1", "json"],
  ["/", "nonsense", "json"],
])("the error of %s, Accept %j, is sent as %s", async (path, accept, type) => {
  const response = await app.request(path, accept === undefined ? {} : { headers: { accept } });
  expect([response.status, response.headers.get("cache-control"), response.headers.get("vary")]).toEqual([
    404,
    "no-store",
    "Accept",
  ]);
  expect(await response.text()).toBe(
    type === "html" ? "<!doctype html><p>Not found.</p>" : '{"detail":"Not found."}',
  );
});
