import { once } from "node:events";
import { mkdir, rm } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { importPackage, installPackage, startCommand } from "./built-package.ts";

const { createService } = await importPackage();
const service = createService({ records: [] });
const server = await service.listen({ port: 0 });
afterAll(server.close);

/** Sends a request without the headers that the global fetch adds. */
async function send(path: string, headers: Record<string, string> = {}) {
  const [response] = await once(get(server.url + path, { headers }), "response");
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

/** The path of the files of all pages, which changes with them. */
const [ASSETS] = /\/assets\/\w+(?=\/site\.css)/.exec((await send("/docs")).body.toString()) ?? [];

test("a client can keep the assets for ever, but not that one of them is missing", async () => {
  const files = await Promise.all(["site.css", "other.css"].map((file) => send(`${ASSETS}/${file}`)));
  const caching = files.map(({ headers }) => headers["cache-control"]);
  expect(caching).toEqual(["public, max-age=31536000, immutable", "no-store"]);
});

const FILES = ["/docs", `${ASSETS}/site.css`, `${ASSETS}/icon.svg`, "/openapi.json", "/seed.csv.gz"];

describe.each(FILES)("%s", (path) => {
  test("is not sent again to a client that has it", async () => {
    const { status, headers } = await send(path);
    expect([status, headers.etag]).toEqual([200, expect.any(String)]);
    const again = await send(path, { "If-None-Match": String(headers.etag) });
    expect([again.status, again.headers.etag, again.body.length]).toEqual([304, headers.etag, 0]);
    expect((await send(path, { "If-None-Match": '"other"' })).status).toBe(200);
  });

  test("is a 405 with what is allowed for POST", async () => {
    const response = await fetch(server.url + path, { method: "POST" });
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
    expect(await response.json()).toEqual({ detail: 'Method "POST" not allowed.' });
  });
});

test.each([
  ["gzip, deflate, br", 0, "gzip"],
  ["GZIP;q=0.5", 0, "gzip"],
  ["gzip;q=0", 0, undefined],
  ["br", 0, undefined],
  ["gzip", 8_192, "gzip"],
  ["gzip", 8_193, undefined],
])("the style sheet for %s in %i characters has the encoding %s", async (encodings, length, encoding) => {
  const accepted = encodings.padEnd(length, ",");
  const plain = await send(`${ASSETS}/site.css`);
  const { headers, body } = await send(`${ASSETS}/site.css`, { "Accept-Encoding": accepted });
  expect([headers["content-encoding"], headers.vary]).toEqual([encoding, "Accept-Encoding"]);
  expect(encoding ? gunzipSync(body) : body).toEqual(plain.body);
});

test("service.fetch returns text, as the global fetch does, even to a client that accepts gzip", async () => {
  const headers = { "Accept-Encoding": "gzip" };
  const response = await service.fetch("https://counts.example/robots.txt", { headers });
  expect(response.headers.get("Content-Encoding")).toBe(null);
  expect(await response.text()).toContain("User-agent");
});

test.each([
  ["is missing", "does not exist. A bundler", async () => {}],
  ["cannot be read", "is a directory", mkdir],
])("a file of the package that %s is a 500, and the command prints why", async (_, reason, replace) => {
  const folder = await installPackage();
  const file = join(folder, "node_modules/traffic-count-records/seed.csv.gz");
  await rm(file);
  await replace(file);
  const { url, stop } = await startCommand(folder, []);
  expect((await fetch(`${url}/seed.csv.gz`)).status).toBe(500);
  expect((await fetch(`${url}/api/tf1/records/`)).status).toBe(200);
  expect((await stop()).stderr).toContain(`seed.csv.gz cannot be read: it ${reason}`);
});
