import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { importPackage, installPackage, startCommand } from "./built-package.ts";

const { createService } = await importPackage();
const service = createService({ records: [] });
const send = (path: string, init?: RequestInit) => service.fetch(`https://counts.example${path}`, init);

/** The path of the files of all pages, which changes with them. */
const [ASSETS] = /\/assets\/\w+(?=\/site\.css)/.exec(await (await send("/docs")).text()) ?? [];

test("a client can keep the assets for ever, but not that one of them is missing", async () => {
  const files = await Promise.all(["site.css", "other.css"].map((file) => send(`${ASSETS}/${file}`)));
  const caching = files.map(({ headers }) => headers.get("Cache-Control"));
  expect(caching).toEqual(["public, max-age=31536000, immutable", "no-store"]);
});

const FILES = ["/docs", `${ASSETS}/site.css`, `${ASSETS}/icon.svg`, "/openapi.json", "/seed.csv.gz"];

test.each(FILES)("%s is not sent again to a client that has it, and POST is a 405", async (path) => {
  const first = await send(path);
  const etag = String(first.headers.get("ETag"));
  expect([first.status, etag]).toEqual([200, expect.stringMatching(/^".+"$/)]);
  const again = await send(path, { headers: { "If-None-Match": etag } });
  expect([again.status, again.headers.get("ETag"), await again.text()]).toEqual([304, etag, ""]);
  expect((await send(path, { headers: { "If-None-Match": '"other"' } })).status).toBe(200);
  const rejected = await send(path, { method: "POST" });
  expect([rejected.status, rejected.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
  expect(await rejected.json()).toEqual({ detail: 'Method "POST" not allowed.' });
});

test("a file of the package that is missing is a 500, and the command prints why", async () => {
  const folder = await installPackage();
  await rm(join(folder, "node_modules/traffic-count-records/seed.csv.gz"));
  const { url, stop } = await startCommand(folder, []);
  expect((await fetch(`${url}/seed.csv.gz`)).status).toBe(500);
  expect((await fetch(`${url}/api/tf1/records/`)).status).toBe(200);
  expect((await stop()).stderr).toContain(`seed.csv.gz cannot be read: it does not exist. If a bundler`);
});
